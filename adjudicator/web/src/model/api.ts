/** Decoders of the API, written by `node decoders.mjs` from the server's description. Not to be changed by hand. */
import { type Decoded, boolean, list, nullable, number, object, oneOf, otherwise, pair, string, where } from './decode';
import * as formats from './formats';

export const candidate = object({ piece: string, p: where(number, ...formats.probability) });
export type Candidate = Decoded<typeof candidate>;

export const uncertain = object({ square: where(string, ...formats.square), p: where(number, ...formats.probability), candidates: list(candidate) });
export type Uncertain = Decoded<typeof uncertain>;

/** Letters, most valuable first. */
export const reserves = object({ white: string, black: string });
export type Reserves = Decoded<typeof reserves>;

export const clock = object({ white_ms: number, black_ms: number, running: nullable(oneOf('white', 'black')), read_at_ms: number, delay_left_ms: otherwise(number, 0) });
export type Clock = Decoded<typeof clock>;

export const board = object({
  fen: where(string, ...formats.placement),
  turn: oneOf('white', 'black'),
  last: nullable(string),
  state: string,
  uncertain: otherwise(list(uncertain), []),
  reserves: nullable(reserves),
  clock: nullable(clock),
});
export type Board = Decoded<typeof board>;

export const period = object({ base_s: number, moves: nullable(number) });
export type Period = Decoded<typeof period>;

/** As in the header of a trace: periods, all but the last with moves, or base_s where there is one; increment_s, or delay_s with its kind. */
export const timeControl = object({
  periods: where(list(period), ...formats.notEmpty),
  increment_s: otherwise(number, 0),
  delay_s: otherwise(number, 0),
  delay: nullable(oneOf('us', 'bronstein')),
});
export type TimeControl = Decoded<typeof timeControl>;

export const result = object({
  side: nullable(number),
  winner: number,
  board: nullable(oneOf('A', 'B')),
  reason: string,
  text: string,
  confirmed: boolean,
  confirmed_by: nullable(oneOf('teams', 'director')),
});
export type Result = Decoded<typeof result>;

export const players = object({ white: nullable(string), black: nullable(string) });
export type Players = Decoded<typeof players>;

export const table = object({
  table: string,
  label: string,
  section: nullable(string),
  game: otherwise(oneOf('bughouse', 'chess'), 'bughouse'),
  rulebook: nullable(string),
  time: nullable(timeControl),
  teams: nullable(pair(string)),
  match: nullable(string),
  state: string,
  sensors: oneOf('live', 'lost'),
  stale_since_ms: nullable(number),
  boards: where(object({ A: nullable(board), B: nullable(board) }), ...formats.boards),
  ply_count: number,
  result: nullable(result),
  delay_s: otherwise(number, 0),
  round: nullable(number),
  sides: nullable(pair(string)),
  players: nullable(object({ A: players, B: nullable(players) })),
  members: otherwise(list(string), []),
  on_stream: otherwise(boolean, false),
});
export type Table = Decoded<typeof table>;

export const alternative = object({ uci: string, san: string, p: where(number, ...formats.probability) });
export type Alternative = Decoded<typeof alternative>;

export const illegal = object({ reason: string, public: otherwise(boolean, true) });
export type Illegal = Decoded<typeof illegal>;

/** The board after the ply, and both boards' reserves. */
export const after = object({
  fen: where(string, ...formats.placement),
  turn: oneOf('white', 'black'),
  reserves: object({ A: nullable(reserves), B: nullable(reserves) }),
  uncertain: otherwise(list(uncertain), []),
});
export type After = Decoded<typeof after>;

export const ply = object({
  id: number,
  n: number,
  board: oneOf('A', 'B'),
  side: oneOf('white', 'black'),
  number,
  san: string,
  uci: string,
  p: where(number, ...formats.probability),
  alternatives: otherwise(list(alternative), []),
  clock_ms: nullable(number),
  t_ms: number,
  illegal: nullable(illegal),
  after_end: otherwise(boolean, false),
  undone: otherwise(boolean, false),
  was: nullable(string),
  after,
});
export type Ply = Decoded<typeof ply>;

export const decided = object({ t_ms: number, board: oneOf('A', 'B'), side: oneOf('white', 'black'), claim: string, about: string, ply: nullable(number), ruling: string });
export type Decided = Decoded<typeof decided>;

export const round = object({
  event: object({ name: string, rulebook: nullable(string) }),
  last_event_id: string,
  now_ms: number,
  clock_rate: otherwise(number, 1),
  delay_s: otherwise(number, 0),
  tables: list(table),
});
export type Round = Decoded<typeof round>;

export const match = object({
  table,
  event: otherwise(string, ''),
  opened_ms: number,
  last_event_id: string,
  now_ms: number,
  clock_rate: otherwise(number, 1),
  base_ms: number,
  start: object({ A: nullable(where(string, ...formats.placement)), B: nullable(where(string, ...formats.placement)) }),
  plies: list(ply),
  decided: otherwise(list(decided), []),
});
export type Match = Decoded<typeof match>;

/** The event `plies` of /api/v1/live: all plies from a place on. */
export const plies = object({ match: string, from: number, plies: list(ply), total: number });
export type Plies = Decoded<typeof plies>;

/** The event `beat` of /api/v1/live. */
export const beat = object({ now_ms: number });
export type Beat = Decoded<typeof beat>;
