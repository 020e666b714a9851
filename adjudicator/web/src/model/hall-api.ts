/** Decoders of the API, written by `node decoders.mjs` from the server's description. Not to be changed by hand. */
import { type Decoded, boolean, list, nullable, number, object, oneOf, pair, string } from './decode';

/** When it ends, Unix milliseconds: the latest moment that the clocks allow, the likely one, and the range that holds nine times in ten. */
export const ends = object({ latest_ms: nullable(number), likely_ms: nullable(number), range_ms: nullable(pair(number)) });
export type Ends = Decoded<typeof ends>;

export const announcement = object({ text: string, section: nullable(string) });
export type Announcement = Decoded<typeof announcement>;

export const roundTimes = object({
  section: string,
  round: number,
  starts_ms: nullable(number),
  starts_round: nullable(number),
  ends,
  without_clock: list(string),
  to_begin: list(string),
  over: number,
  pairings: number,
  tables: list(object({ table: string, ends })),
});
export type RoundTimes = Decoded<typeof roundTimes>;

export const notices = object({ now_ms: number, announcements: list(announcement), rounds: list(roundTimes) });
export type Notices = Decoded<typeof notices>;

export const childRound = object({
  round: number,
  state: oneOf('playing', 'paired', 'bye', 'over'),
  table: nullable(string),
  board: nullable(oneOf('A', 'B')),
  color: nullable(oneOf('white', 'black')),
  as_paired: boolean,
  against: nullable(string),
  result: nullable(string),
  confirmed: boolean,
  clock: nullable(object({ left_ms: number, runs: boolean, read_at_ms: number })),
  ends: nullable(ends),
});
export type ChildRound = Decoded<typeof childRound>;

/** One child, for its family. */
export const child = object({
  now_ms: number,
  event: string,
  name: string,
  section: nullable(string),
  number: nullable(number),
  team: nullable(string),
  points: nullable(number),
  is_provisional: boolean,
  rounds: list(childRound),
  announcements: list(announcement),
  starts_ms: nullable(number),
  messages: nullable(object({ address: string, is_on: boolean })),
});
export type Child = Decoded<typeof child>;

export const atTablePairing = object({
  pairing: number,
  section: string,
  round: number,
  games: number,
  sides: pair(string),
  reports: pair(nullable(string)),
  result: nullable(string),
  confirmed: boolean,
});
export type AtTablePairing = Decoded<typeof atTablePairing>;

/** The pairings of a table, for those who sit there. */
export const atTable = object({
  now_ms: number,
  event: string,
  label: string,
  pairings: list(atTablePairing),
  call: nullable(object({ since_ms: number, is_assigned: boolean })),
});
export type AtTable = Decoded<typeof atTable>;

/** Content of a screen. */
export const shows = object({ show: oneOf('overview', 'pairings', 'standings', 'table', 'countdown', 'announcer'), section: nullable(string), table: nullable(string) });
export type Shows = Decoded<typeof shows>;

/** A screen of the hall, and its content. */
export const screen = object({ now_ms: number, screen: number, name: string, shows: nullable(shows), reloads: number });
export type Screen = Decoded<typeof screen>;

export const screenLine = object({ screen: number, name: string, shows: nullable(shows), is_online: boolean });
export type ScreenLine = Decoded<typeof screenLine>;

export const screenList = object({ screens: list(screenLine) });
export type ScreenList = Decoded<typeof screenList>;
