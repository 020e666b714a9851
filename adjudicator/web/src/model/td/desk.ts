/** The desk: a round as rows, what is wrong with it, what a key does, and what can be put right. */
import { t } from '../../language/td';
import type { EventSheet, Finding, PairingSheet, SectionSheet } from './wire';

/** An outcome as deeds have it. */
export type Outcome = 'draw' | 'double-forfeit' | { readonly win: 'first' | 'second' } | { readonly 'forfeit-win': 'first' | 'second' };

/** A result that can be entered, by its key and in words. */
export interface Choice {
  readonly key: string;
  readonly words: string;
  readonly outcome: Outcome;
}

export const CHOICES: readonly Choice[] = [
  { key: '1', words: '1-0', outcome: { win: 'first' } },
  { key: '=', words: '½-½', outcome: 'draw' },
  { key: '0', words: '0-1', outcome: { win: 'second' } },
  { key: '+', words: '1F-0F', outcome: { 'forfeit-win': 'first' } },
  { key: '-', words: '0F-1F', outcome: { 'forfeit-win': 'second' } },
  { key: 'x', words: '0F-0F', outcome: 'double-forfeit' },
];

/** Act of a key at the desk. */
export type Key = { readonly enter: Choice } | 'confirm' | 'up' | 'down' | null;

export function keyOf(key: string): Key {
  if (key === 'ArrowUp' || key === 'ArrowDown') return key === 'ArrowUp' ? 'up' : 'down';
  if (key === 'c' || key === 'Enter') return 'confirm';
  const enter = CHOICES.find((one) => one.key === key);
  return enter === undefined ? null : { enter };
}

/** Stage of a pairing. */
export type Stage = 'to-play' | 'playing' | 'to-confirm' | 'done';

export function stageOf(pairing: PairingSheet): Stage {
  if (pairing.running) return 'playing';
  if (pairing.result === null) return 'to-play';
  return pairing.confirmed ? 'done' : 'to-confirm';
}

export const STAGES: Readonly<Record<Stage, string>> = { 'to-play': t('To be played'), playing: t('Playing'), 'to-confirm': t('To confirm'), done: t('Done') };

/** Checks whether a result can be entered from paper, also while a forgotten clock runs. */
export const mayWrite = (section: SectionSheet, pairing: PairingSheet): boolean => !pairing.confirmed && section.games_per_round === 1;

/** Checks whether one key enters it: where a clock runs, the page asks once more. */
export const mayEnter = (section: SectionSheet, pairing: PairingSheet): boolean => !pairing.running && mayWrite(section, pairing);

/** The pairing that is played at a table in the round of another one. */
export const pairingAt = (section: SectionSheet, table: string, of: PairingSheet): PairingSheet | undefined =>
  section.pairings.find((one) => one.round === of.round && one.table === table && one.pairing !== of.pairing);

const nameOf = (section: SectionSheet, number: number | null) => section.entrants.find((one) => one.number === number)?.name ?? t('No. {number}', { number: number ?? '?' });

/** Remarks that need a look, in words. */
export function findingWords(section: SectionSheet, of: Finding): string {
  const pairing = section.pairings.find((one) => one.pairing === of.pairing);
  const at = pairing === undefined ? '' : t('Table {table}: ', { table: pairing.table });
  switch (of.finding) {
    case 'unpaired':
      return t('{nameOf} is in no pairing and has no bye', { nameOf: nameOf(section, of.number) });
    case 'rematch':
      return t('{at}{names} met before, in round {met}', { at, names: pairing?.names.join(' – ') ?? '', met: of.met ?? '?' });
    case 'colour':
      return t('{at}{nameOf} has {color} {more}', { at, nameOf: nameOf(section, of.number), color: of.color ?? '', more: (of.in_a_row ?? 0) > 2 ? t('{inarow} times in a row', { inarow: of.in_a_row ?? 0 }) : t('{surplus} times more than the other colour', { surplus: of.surplus ?? 0 }) });
    default:
      return t('{at}section {section} has a pairing there in this round, too', { at, section: of.section ?? '' });
  }
}

/** Entrants without a pairing or a bye in a round. */
export function unpaired(section: SectionSheet, round: number): readonly number[] {
  const paired = new Set(section.pairings.filter((one) => one.round === round).flatMap((one) => one.sides.flat()));
  const byes = new Set(section.byes.filter((one) => one.round === round).map(({ number }) => number));
  const plays = section.entrants.filter(({ withdrawn_from }) => withdrawn_from === null || withdrawn_from > round);
  return plays.map(({ number }) => number).filter((number) => !paired.has(number) && !byes.has(number));
}

/** An id that no pairing of the event has. */
export const freePairing = (event: EventSheet): number => 1 + Math.max(0, ...event.sections.flatMap((one) => one.pairings.map(({ pairing }) => pairing)));

/** Next free number of a section. */
export const freeNumber = (section: SectionSheet): number => 1 + Math.max(0, ...section.entrants.map(({ number }) => number));

/** The first table without a pairing in a round. */
export function freeTable(event: EventSheet, round: number): string {
  const taken = new Set(event.sections.flatMap((one) => one.pairings.filter((it) => it.round === round).map(({ table }) => table)));
  return event.tables.find((table) => !taken.has(table)) ?? '';
}
