/**
 * What the server says: the JSON of `/api/v1/round`, `/api/v1/matches/{id}` and the event stream
 * `/api/v1/live`, as types and as the decoders that make them. Times are Unix milliseconds of the
 * server unless the name says otherwise; clocks are milliseconds that remain.
 */
import {
  type Decoded,
  boolean,
  list,
  nullable,
  number,
  object,
  oneOf,
  otherwise,
  pair,
  string,
  where,
} from './decode';
import { isPlacement, isSquare } from './placement';

export const boardId = oneOf('A', 'B');
export const side = oneOf('white', 'black');
/** `"A"`: the board at which team 1 has White. `"B"`: the one at which it has Black. */
export type BoardId = Decoded<typeof boardId>;
export type Side = Decoded<typeof side>;

const placement = where(string, isPlacement, 'a FEN piece placement of 8 ranks');
const square = where(string, isSquare, 'a square from a1 to h8');
const probability = where(number, (p) => p >= 0 && p <= 1.000001, 'a probability from 0 to 1');

/** One thing that may stand on the square: an upper-case piece letter, and how probable it is. */
const candidate = object({ piece: string, p: probability });
/** A square whose piece is not sure; `p` belongs to the piece that the placement shows. */
const uncertain = object({ square, p: probability, candidates: list(candidate) });
/** The pieces each side may drop, as upper-case letters, one for each piece: `QNPP`. */
const reserves = object({ white: string, black: string });

const clock = object({
  white_ms: number,
  black_ms: number,
  running: nullable(side),
  read_at_ms: number,
});

const board = object({
  fen: placement,
  turn: side,
  last: nullable(string),
  state: string,
  uncertain: otherwise(list(uncertain), []),
  reserves,
  clock: nullable(clock),
});

/** How a match ended; `winner` 0 is a draw or an unfinished match. */
const result = object({ winner: number, board: nullable(string), reason: string, text: string });

/** Names, board by board; there only where the organiser and the families said yes. */
const players = object({ white: nullable(string), black: nullable(string) });

const table = object({
  table: string,
  label: string,
  section: nullable(string),
  teams: pair(string),
  players: nullable(object({ A: players, B: players })),
  match: nullable(string),
  state: string,
  sensors: string,
  stale_since_ms: nullable(number),
  boards: object({ A: board, B: board }),
  ply_count: number,
  result: nullable(result),
});

const alternative = object({ uci: string, san: string, p: probability });

const ply = object({
  id: number,
  n: number,
  board: boardId,
  side,
  number,
  san: string,
  uci: string,
  p: probability,
  alternatives: otherwise(list(alternative), []),
  clock_ms: nullable(number),
  t_ms: number,
  illegal: nullable(object({ reason: string, public: otherwise(boolean, true) })),
  /** Played after the match had been decided on the other board. */
  after_end: otherwise(boolean, false),
  was: nullable(string),
  after: object({
    fen: placement,
    turn: side,
    reserves: object({ A: reserves, B: reserves }),
    uncertain: otherwise(list(uncertain), []),
  }),
});

/** The whole round: every table of the hall. */
export const roundSnapshot = object({
  event: object({ name: string, rulebook: string }),
  last_event_id: number,
  now_ms: number,
  clock_rate: otherwise(number, 1),
  delay_s: otherwise(number, 0),
  tables: list(table),
});

/** One match with all its plies in true order over both boards. */
export const matchSnapshot = object({
  table,
  last_event_id: number,
  now_ms: number,
  clock_rate: otherwise(number, 1),
  base_ms: number,
  start: object({ A: placement, B: placement }),
  plies: list(ply),
});

export const tableEvent = table;
/** Replaces every ply from `from` on, so that revisions need no message of their own. */
export const pliesEvent = object({ match: string, from: number, plies: list(ply), total: number });
export const beatEvent = object({ now_ms: number });

export type Candidate = Decoded<typeof candidate>;
export type Uncertain = Decoded<typeof uncertain>;
export type Reserves = Decoded<typeof reserves>;
export type ClockReading = Decoded<typeof clock>;
export type BoardNow = Decoded<typeof board>;
export type Table = Decoded<typeof table>;
export type Ply = Decoded<typeof ply>;
export type RoundSnapshot = Decoded<typeof roundSnapshot>;
export type MatchSnapshot = Decoded<typeof matchSnapshot>;
export type PliesEvent = Decoded<typeof pliesEvent>;

/** Who sits there: the name, where there is one, and else the team. */
export function seatLabel(table: Table, boardOf: BoardId, sideOf: Side): string {
  return table.players?.[boardOf][sideOf] ?? table.teams[teamOf(boardOf, sideOf) - 1] ?? '';
}

/** The four seats' team: A.white and B.black are team 1. */
export function teamOf(boardOf: BoardId, sideOf: Side): 1 | 2 {
  return (boardOf === 'A') === (sideOf === 'white') ? 1 : 2;
}

export const BOARDS = ['A', 'B'] as const;
export const opposite = (of: Side): Side => (of === 'white' ? 'black' : 'white');
