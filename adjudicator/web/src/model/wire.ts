/**
 * Words of the pages for the public API, beside its decoders, which {@link ./api} has: words for seats, sides and results. Times are
 * Unix milliseconds of the server unless the name says otherwise; clocks are milliseconds that remain.
 */
import type { Table } from './api';
import { type Decoded, oneOf } from './decode';

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

export type { PerMove } from './td/api';

/** The boards of a table that have sensors, A first. */
export function sensedBoards(table: Table): BoardId[] {
  return BOARDS.filter((board) => table.boards[board] !== null);
}

/** The board without sensors of a table that has one. */
export function unseenBoard(table: Table): BoardId | null {
  if (table.game === 'chess') return null;
  return BOARDS.find((board) => table.boards[board] === null) ?? null;
}

/** The four seats' team: A.white and B.black are team 1. */
export function teamOf(boardOf: BoardId, sideOf: Side): 1 | 2 {
  return (boardOf === 'A') === (sideOf === 'white') ? 1 : 2;
}

export const BOARDS = ['A', 'B'] as const;
export const opposite = (of: Side): Side => (of === 'white' ? 'black' : 'white');

/** By number where names are numbers, so that table 10 comes after table 9. */
export function byTable(a: Table, b: Table): number {
  return a.table.localeCompare(b.table, 'en', { numeric: true });
}
