/** The page of a table's link: its answer, and the words for it. */
import { t } from '../language/language';
import type { AtTablePairing } from './hall-api';

export { type AtTable, type AtTablePairing, atTable } from './hall-api';

/** Outcome of a game, seen from the first side. */
export type Ended = 'first' | 'second' | 'draw';
export const SIDES = ['first', 'second'] as const;
export type Side = (typeof SIDES)[number];

const SCORES: Readonly<Record<Ended, string>> = { first: '1-0', second: '0-1', draw: '½-½' };

/** `Hawks win`, `Draw`; with several games `game 1: Hawks win, game 2: draw`. */
export function endedWords({ sides, games: all }: AtTablePairing, games: readonly Ended[]): string {
  const one = (ended: Ended) => (ended === 'draw' ? t('draw') : t('{winner} wins', { winner: sides[ended === 'first' ? 0 : 1] }));
  const words = games.map((ended, index) => (all === 1 ? one(ended) : t('game {index}: {one}', { index: index + 1, one: one(ended) })));
  return `${words.join(', ')} (${games.map((ended) => SCORES[ended]).join(', ')})`;
}

/** Sentence that compares the reports of a pairing. */
export function standWords({ reports: [first, second], sides, result, confirmed }: AtTablePairing): string {
  if (confirmed) return t('{result} is confirmed.', { result: result ?? '' });
  if (first === null && second === null) return t('No report yet.');
  if (first !== null && second !== null) return first === second ? t('Both sides report {first}. A director confirms it.', { first }) : t('{side} reports {first}, {other} reports {second}. A director comes.', { side: sides[0], first, other: sides[1], second });
  const has = first === null ? 1 : 0;
  return t('{side} reports {first}. {other} has yet to report.', { side: sides[has], first: first ?? second ?? '', other: sides[1 - has] ?? '' });
}
