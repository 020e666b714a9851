/**
 * What the pages know of the public API beside its decoders, which {@link ./api} has: words for seats, sides and results. Times are
 * Unix milliseconds of the server unless the name says otherwise; clocks are milliseconds that remain.
 */
import type { Table } from './api';
import { type Decoded, nullable, number, object, oneOf, otherwise } from './decode';

export { beat as beatEvent, match as matchSnapshot, plies as pliesEvent, round as roundSnapshot, table as tableEvent } from './api';
export type {
  Board as BoardNow,
  Candidate,
  Clock as ClockReading,
  Decided as Ruled,
  Match as MatchSnapshot,
  Plies as PliesEvent,
  Ply,
  Reserves,
  Round as RoundSnapshot,
  Table,
  TimeControl,
  Uncertain,
} from './api';

export const boardId = oneOf('A', 'B');
export const side = oneOf('white', 'black');
/** `"A"`: the board at which team 1 has White. `"B"`: the one at which it has Black. */
export type BoardId = Decoded<typeof boardId>;
export type Side = Decoded<typeof side>;

/** What a player is given for each move. */
export const perMove = object({ increment_s: otherwise(number, 0), delay_s: otherwise(number, 0), delay: nullable(oneOf('us', 'bronstein')) });
export type PerMove = Decoded<typeof perMove>;

const NOBODY = { white: null, black: null };

/** Who sits there: the name, where there is one, and else the team or, in chess, the side. */
export function seatLabel(table: Table, boardOf: BoardId, sideOf: Side): string {
  return table.players?.[boardOf]?.[sideOf] ?? table.teams?.[teamOf(boardOf, sideOf) - 1] ?? sideName(sideOf);
}

/** The labels of both seats of a board. */
export const seatLabels = (table: Table, boardOf: BoardId): Readonly<Record<Side, string>> => ({
  white: seatLabel(table, boardOf, 'white'),
  black: seatLabel(table, boardOf, 'black'),
});

/** Who plays whom: the teams, or in chess the players as far as they are named. */
export function opponents(table: Table): string {
  if (table.sides !== null) return table.sides.join(' – ');
  if (table.teams !== null) return table.teams.join(' – ');
  const { white, black } = table.players?.A ?? NOBODY;
  return white === null && black === null ? '' : `${white ?? 'White'} – ${black ?? 'Black'}`;
}

/** Who won, by the seats and not by the order of the pairing list: the team, or in chess the player as far as named; nothing for a draw. */
export function winnerLabel(table: Table): string {
  const { winner } = table.result ?? { winner: 0 };
  if (winner === 0) return '';
  return table.game === 'chess' ? seatLabel(table, 'A', winner === 1 ? 'white' : 'black') : (table.teams?.[winner - 1] ?? `Team ${winner}`);
}

/** Who plays whom and the points of each, which are apart so that no page cuts the points off; null while nobody has points or they have no place beside names. */
export interface Scored {
  readonly names: readonly [string, string];
  readonly points: readonly [string, string] | null;
}

/** The two sides with their points once it is over; null where nobody is named. */
export function scored(table: Table): Scored | null {
  const names = table.sides ?? table.teams;
  const { result } = table;
  if (names === null) return null;
  if (result === null) return { names, points: null };
  const won = (table.sides === null ? null : result.side) ?? names.indexOf(winnerLabel(table));
  // Both lose by a forfeit.
  const even = result.reason === 'forfeit' ? '0' : '½';
  // A number beside a number is hard to read.
  if (result.winner !== 0 && (won < 0 || names[0] === 'Team 1')) return { names, points: null };
  const [first, second] = [0, 1].map((side) => (result.winner === 0 ? even : side === won ? '1' : '0'));
  return { names, points: [first ?? '', second ?? ''] };
}

/** `Lions 1 – 0 Otters` once it is over, and before that who plays whom; nothing where nobody is named. */
export function opponentsAndScore(table: Table): string {
  const of = scored(table);
  if (of === null) return opponents(table);
  if (of.points !== null) return `${of.names[0]} ${of.points[0]} – ${of.points[1]} ${of.names[1]}`;
  const winner = winnerLabel(table);
  return of.names[0] === 'Team 1' && winner !== '' ? `${winner} wins` : opponents(table);
}

/** The boards of a table that have sensors, A first. */
export function sensedBoards(table: Table): BoardId[] {
  return BOARDS.filter((board) => table.boards[board] !== null);
}

/** The board without sensors of a table that has one. */
export function unseenBoard(table: Table): BoardId | null {
  if (table.game === 'chess') return null;
  return BOARDS.find((board) => table.boards[board] === null) ?? null;
}

export const sideName = (of: Side): string => (of === 'white' ? 'White' : 'Black');

/** The four seats' team: A.white and B.black are team 1. */
export function teamOf(boardOf: BoardId, sideOf: Side): 1 | 2 {
  return (boardOf === 'A') === (sideOf === 'white') ? 1 : 2;
}

export const BOARDS = ['A', 'B'] as const;
export const opposite = (of: Side): Side => (of === 'white' ? 'black' : 'white');
