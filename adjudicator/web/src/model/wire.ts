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
  /** What was left of the delay of the running ply when the clock was read: so long it stands still. */
  delay_left_ms: otherwise(number, 0),
});

const board = object({
  fen: placement,
  turn: side,
  last: nullable(string),
  state: string,
  uncertain: otherwise(list(uncertain), []),
  /** None in chess, and where nobody knows because the partner's board has no sensors. */
  reserves: nullable(reserves),
  clock: nullable(clock),
});

const game = oneOf('bughouse', 'chess');
/** What a player is given for each move. */
export const perMove = object({ increment_s: otherwise(number, 0), delay_s: otherwise(number, 0), delay: nullable(oneOf('us', 'bronstein')) });
export type PerMove = Decoded<typeof perMove>;
const period = object({ base_s: number, moves: nullable(number) });
/** The time control in the shape of a trace's header. */
const time = object({
  periods: where(list(period), ({ length }) => length > 0, 'at least one period'),
  increment_s: otherwise(number, 0),
  delay_s: otherwise(number, 0),
  delay: nullable(oneOf('us', 'bronstein')),
});

/** The boards that have sensors: both, or one of them; chess is played on A. */
const boards = where(
  object({ A: nullable(board), B: nullable(board) }),
  ({ A, B }) => A !== null || B !== null,
  'a board that has sensors',
);

/** How a match ended; `winner` 0 is a draw or an unfinished match. */
const result = object({
  /** The side of the pairing list that won: 0 or 1. */
  side: otherwise(nullable(number), null),
  winner: number,
  board: nullable(string),
  reason: string,
  text: string,
  /** Whose word it is: `teams` or `director`; null while it is only what the boards show. */
  confirmed_by: nullable(string),
});

/** Names, board by board; there only where the organiser and the families said yes. */
const players = object({ white: nullable(string), black: nullable(string) });
const NOBODY = { white: null, black: null };

const table = object({
  table: string,
  label: string,
  section: nullable(string),
  round: nullable(number),
  rulebook: nullable(string),
  /** The two sides of the pairing; `teams` has them once it is known which is which. */
  sides: nullable(pair(string)),
  game: otherwise(game, 'bughouse'),
  /** Known from the first match on. */
  time: nullable(time),
  /** None in chess. */
  teams: nullable(pair(string)),
  players: nullable(object({ A: players, B: otherwise(players, NOBODY) })),
  /** Everybody who plays there, wherever they sit, where persons are named: to be found by. */
  members: otherwise(list(string), []),
  match: nullable(string),
  state: string,
  sensors: string,
  stale_since_ms: nullable(number),
  boards,
  ply_count: number,
  result: nullable(result),
  /** How long the server holds back what it shows of the table. */
  delay_s: otherwise(number, 0),
  /** Whether a person chose it for the stream. */
  on_stream: otherwise(boolean, false),
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
  /** The position before it was put up again. */
  undone: otherwise(boolean, false),
  was: nullable(string),
  after: object({
    fen: placement,
    turn: side,
    reserves: object({ A: nullable(reserves), B: nullable(reserves) }),
    uncertain: otherwise(list(uncertain), []),
  }),
});

/** A claim that a director has ruled on; `t_ms` is when the clocks were stopped for it. */
const decided = object({ t_ms: number, board: boardId, side, about: string, ruling: string });

/** The whole round: every table of the hall. */
export const roundSnapshot = object({
  event: object({ name: string, rulebook: nullable(string) }),
  last_event_id: string,
  now_ms: number,
  clock_rate: otherwise(number, 1),
  delay_s: otherwise(number, 0),
  tables: list(table),
});

/** One match with all its plies in true order over both boards. */
export const matchSnapshot = object({
  table,
  last_event_id: string,
  now_ms: number,
  clock_rate: otherwise(number, 1),
  event: otherwise(string, ''),
  opened_ms: nullable(number),
  base_ms: number,
  start: object({ A: nullable(placement), B: nullable(placement) }),
  plies: list(ply),
  decided: otherwise(list(decided), []),
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
export type TimeControl = Decoded<typeof time>;
export type Table = Decoded<typeof table>;
export type Ply = Decoded<typeof ply>;
/** A claim with its ruling. */
export type Ruled = Decoded<typeof decided>;
export type RoundSnapshot = Decoded<typeof roundSnapshot>;
export type MatchSnapshot = Decoded<typeof matchSnapshot>;
export type PliesEvent = Decoded<typeof pliesEvent>;

/** Who sits there: the name, where there is one, and else the team or, in chess, the side. */
export function seatLabel(table: Table, boardOf: BoardId, sideOf: Side): string {
  return table.players?.[boardOf][sideOf] ?? table.teams?.[teamOf(boardOf, sideOf) - 1] ?? sideName(sideOf);
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
