/** Instances of an appeal: the section chief, then the chief director, whose decision is final. */
import { coded, t } from '../../language/td';
import type { LedgerLine, Rank } from './wire';

export type Instance = 'section-chief' | 'floor-chief';

/** The instance above a ruling; none above the chief director. */
export function appealsTo({ kind, role }: Pick<LedgerLine, 'kind' | 'role'>): Instance | null {
  if (role === 'floor-chief') return null;
  return kind === 'decided' || role === 'section-chief' ? 'floor-chief' : 'section-chief';
}

/** Checks whether a director may decide on an appeal: of the instance, or of one above it. */
export function hears(rank: Rank, to: Instance): boolean {
  return rank === 'chief' || (rank === 'section-chief' && to === 'section-chief');
}

export function instanceWords(to: Instance): string {
  return to === 'section-chief' ? t('section chief') : t('chief director');
}

const ROLES: Readonly<Record<string, string>> = { 'team-1': t('team 1'), 'team-2': t('team 2'), floor: t('floor director'), 'section-chief': t('section chief'), 'floor-chief': t('chief director'), chief: t('chief director') };

/** A role or rank of the ledger as people call it. */
export const roleWords = (role: string): string => ROLES[role] ?? coded(role);
