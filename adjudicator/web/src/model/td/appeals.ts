/** Who hears an appeal: the section chief, then the floor chief, whose decision is final. */
import type { LedgerLine, Rank } from './wire';

export type Instance = 'section-chief' | 'floor-chief';

/** The instance above a ruling; none above the floor chief. */
export function appealsTo({ kind, role }: Pick<LedgerLine, 'kind' | 'role'>): Instance | null {
  if (role === 'floor-chief') return null;
  return kind === 'decided' || role === 'section-chief' ? 'floor-chief' : 'section-chief';
}

/** Whether somebody may decide on an appeal: the instance, or one above it. */
export function hears(rank: Rank, to: Instance): boolean {
  return rank === 'chief' || (rank === 'section-chief' && to === 'section-chief');
}

export function instanceWords(to: Instance): string {
  return to === 'section-chief' ? 'section chief' : 'floor chief';
}
