/**
 * The automatic director: which table the stream shows, with a steady hand.
 *
 * A table is interesting by what is likely to decide it: time, checks, what the players hold. A cut needs a table that is clearly
 * more interesting, and comes no sooner than six seconds after the last one. A match that ends is shown to its end.
 */
import { clockFace } from '../clock';
import { clocksRun, isOver } from '../tablestate';
import { type Table, sensedBoards } from '../wire';

/** No shot is shorter. */
export const SHOT_MIN_MS = 6_000;
/** How long the end of a match stays on the screen. */
export const END_MS = 8_000;
/** How much more interesting another table must be. */
const MARGIN = 12;
/** From then on a shot loses interest, down to no margin. */
const LONG_SHOT_MS = 30_000;

export interface Interest {
  readonly points: number;
  /** Why, for the caption. */
  readonly reason: string;
}

export interface Shot {
  readonly table: string;
  readonly since_ms: number;
  readonly reason: string;
  /** When its match was seen to be over. */
  readonly over_since_ms: number | null;
}

/** How interesting a table is at a time of the server; `rate` is match time in a second. */
export function interest(table: Table, now_ms: number, rate: number): Interest {
  if (table.match === null || table.sensors === 'lost' || isOver(table)) return { points: 0, reason: '' };
  if (table.state !== 'playing') return { points: 5, reason: '' };
  const boards = sensedBoards(table).flatMap((board) => table.boards[board] ?? []);
  const lowest = boards.map((board) => {
    const { clock } = board;
    if (clock === null) return Infinity;
    const at = clocksRun(table) ? now_ms : clock.read_at_ms;
    return Math.min(...(['white', 'black'] as const).map((side) => clockFace(clock, side, at, rate).remaining_ms));
  });
  const least_ms = Math.min(...lowest);
  const found: Interest[] = [{ points: 10, reason: '' }];
  if (boards.some(({ state }) => state === 'check')) found.push({ points: 10, reason: 'check' });
  if (boards.some(({ state }) => state === 'blockable-check')) found.push({ points: 18, reason: 'a check that waits for a piece' });
  if (least_ms < 10_000) found.push({ points: 45, reason: 'ten seconds left' });
  else if (least_ms < 30_000) found.push({ points: 30, reason: 'under half a minute' });
  else if (least_ms < 60_000) found.push({ points: 15, reason: 'under a minute' });
  if (lowest.length > 1 && Math.max(...lowest) < 60_000) found.push({ points: 10, reason: 'both boards under a minute' });
  const held = boards.reduce((sum, { reserves }) => sum + (reserves === null ? 0 : reserves.white.length + reserves.black.length), 0);
  if (held >= 6) found.push({ points: Math.min(15, held), reason: `${held} pieces in hand` });
  const doubt = boards.reduce((sum, { uncertain }) => sum + uncertain.length, 0);
  const strongest = found.reduce((most, one) => (one.points > most.points ? one : most));
  return { points: Math.max(1, found.reduce((sum, { points }) => sum + points, 0) - 3 * doubt), reason: strongest.reason };
}

/** The shot after this one: the same as long as no cut is worth it. */
export function direct(shot: Shot | null, tables: readonly Table[], now_ms: number, rate: number): Shot | null {
  const rated = tables.map((table) => ({ table, ...interest(table, now_ms, rate) }));
  const best = rated.reduce<(typeof rated)[number] | null>((most, one) => (most === null || one.points > most.points ? one : most), null);
  const cut = best === null || best.points === 0 ? null : { table: best.table.table, since_ms: now_ms, reason: best.reason, over_since_ms: null };
  const shown = rated.find(({ table }) => table.table === shot?.table);
  if (shot === null || shown === undefined) return cut;
  const over_since_ms = isOver(shown.table) ? (shot.over_since_ms ?? now_ms) : null;
  const same = { ...shot, over_since_ms };
  const length_ms = now_ms - shot.since_ms;
  if (cut === null || cut.table === shot.table || length_ms < SHOT_MIN_MS) return same;
  if (over_since_ms !== null) return now_ms - over_since_ms >= END_MS ? cut : same;
  const margin = MARGIN * Math.min(1, Math.max(0, 2 - length_ms / LONG_SHOT_MS));
  return best !== null && best.points > shown.points + margin ? cut : same;
}
