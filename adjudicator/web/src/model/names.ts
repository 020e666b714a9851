/** Names of tables, sides and pieces, who plays whom and who won. Apart from the decoders: the worker that follows the round has no words. */
import { coded, language, served, t } from '../language/language';
import type { ReserveLetter } from './placement';
import { type BoardId, type Side, type Table, teamOf } from './wire';

const NOBODY = { white: null, black: null };
/** Name that the server gives to a team without one. */
const UNNAMED = 'Team 1';

/** Name of a table; the one that it has by its number is the server's English. */
export function labelWords(label: string): string {
  const table = /^Table (\S+)$/.exec(label)?.[1];
  return table === undefined ? served(label) : t('Table {table}', { table });
}

export const labelOf = ({ label }: Pick<Table, 'label'>): string => labelWords(label);

export const sideName = (of: Side): string => (of === 'white' ? t('White') : t('Black'));

/** `2 knights`. */
export const pieceCount: Readonly<Record<ReserveLetter, (n: number) => string>> = {
  Q: (n) => t('{n} {n|one:queen|other:queens}', { n }),
  R: (n) => t('{n} {n|one:rook|other:rooks}', { n }),
  B: (n) => t('{n} {n|one:bishop|other:bishops}', { n }),
  N: (n) => t('{n} {n|one:knight|other:knights}', { n }),
  P: (n) => t('{n} {n|one:pawn|other:pawns}', { n }),
};

/** Text for a match without a winner: a draw, a loss of both, or half a point for one side alone. */
export function nobodyWords(reason: string | null): string {
  if (reason === HALF_AND_NONE) return t('Half a point for one side, none for the other');
  return bothLose(reason) ? t('Both lose') : t('Drawn');
}

/** Reason of a result by which only the named side has half a point. */
const HALF_AND_NONE = 'half-and-none';

const bothLose = (reason: string | null): boolean => reason === 'forfeit' || reason === 'both-lose';

/** The end of a match. In English the server's own words; nothing while it has no result. */
export function resultText(table: Table): string {
  const { result } = table;
  if (result === null || language === 'en') return result?.text ?? '';
  const winner = winnerLabel(table);
  const ending = winner === '' ? nobodyWords(result.reason) : t('{winner} wins', { winner });
  // A slip of paper has the result alone.
  return ['paper', 'both-lose', HALF_AND_NONE].includes(result.reason ?? '') ? ending : `${ending}: ${coded(result.reason ?? '')}`;
}

/** The player at a seat: the name, where there is one, and else the team or, in chess, the side. */
export function seatLabel(table: Table, boardOf: BoardId, sideOf: Side): string {
  const name = table.players?.[boardOf]?.[sideOf] ?? table.teams?.[teamOf(boardOf, sideOf) - 1];
  return name === undefined || name === null ? sideName(sideOf) : served(name);
}

/** The labels of both seats of a board. */
export const seatLabels = (table: Table, boardOf: BoardId): Readonly<Record<Side, string>> => ({
  white: seatLabel(table, boardOf, 'white'),
  black: seatLabel(table, boardOf, 'black'),
});

/** The two sides: the teams, or in chess the players as far as they are named. */
export function opponents(table: Table): string {
  if (table.sides !== null) return table.sides.map(served).join(' – ');
  if (table.teams !== null) return table.teams.map(served).join(' – ');
  const { white, black } = table.players?.A ?? NOBODY;
  return white === null && black === null ? '' : `${white ?? t('White')} – ${black ?? t('Black')}`;
}

/** Name of the winner by the seats, not by the order of the pairing list: the team, or in chess the player if named; empty for a draw. */
export function winnerLabel(table: Table): string {
  const { winner } = table.result ?? { winner: 0 };
  if (winner === 0) return '';
  return table.game === 'chess' ? seatLabel(table, 'A', winner === 1 ? 'white' : 'black') : served(table.teams?.[winner - 1] ?? `Team ${winner}`);
}

/** Opponents and their points, kept apart so that no page cuts the points off; null while there are no points, or no place for them. */
export interface Scored {
  readonly names: readonly [string, string];
  readonly points: readonly [string, string] | null;
}

/** The two sides with their points once it is over; null without names. */
export function scored(table: Table): Scored | null {
  const names = table.sides ?? table.teams;
  const { result } = table;
  if (names === null) return null;
  if (result === null) return { names, points: null };
  const won = (table.sides === null ? null : result.side) ?? names.map(served).indexOf(winnerLabel(table));
  const even = bothLose(result.reason) || result.reason === HALF_AND_NONE ? '0' : '½';
  const more = result.reason === HALF_AND_NONE ? '½' : '1';
  // A number beside a number is hard to read.
  if (result.winner !== 0 && (won < 0 || names[0] === UNNAMED)) return { names, points: null };
  const [first, second] = [0, 1].map((side) => (side === won ? more : result.winner === 0 ? even : '0'));
  return { names, points: [first ?? '', second ?? ''] };
}

/** Text such as `Lions 1 – 0 Otters` once it is over, before that the opponents alone; empty where no player is named. */
export function opponentsAndScore(table: Table): string {
  const of = scored(table);
  if (of === null) return opponents(table);
  if (of.points !== null) return `${of.names[0]} ${of.points[0]} – ${of.points[1]} ${of.names[1]}`;
  const winner = winnerLabel(table);
  return of.names[0] === UNNAMED && winner !== '' ? t('{winner} wins', { winner }) : opponents(table);
}
