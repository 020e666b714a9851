/**
 * Walking through a match: the selected ply, and both boards after it. A ply is kept
 * by its id, because revisions may put others before it or take it away.
 */
import type { Match } from './match';
import { placementOf, squaresOf } from './placement';
import type { BoardId, BoardNow, ClockReading, Ply, Reserves, Side, Uncertain } from './wire';

/** Position of the page: the boards as they are now, or as they were after a ply (or before the first). */
export type Place =
  | { readonly at: 'live' }
  | { readonly at: 'start' }
  | { readonly at: 'ply'; readonly id: number; readonly index: number };

export const LIVE: Place = { at: 'live' };

/** Index of the ply looked at: -1 is the set-up, the last index also when live. */
export function indexAt(plies: readonly Ply[], place: Place): number {
  if (place.at === 'live') return plies.length - 1;
  if (place.at === 'start') return -1;
  const found = plies.findIndex(({ id }) => id === place.id);
  return found >= 0 ? found : Math.min(place.index, plies.length - 1);
}

/** The place at an index, held within the match. */
export function placeAt(plies: readonly Ply[], index: number): Place {
  const held = Math.min(index, plies.length - 1);
  const ply = plies[held];
  return held < 0 || ply === undefined ? { at: 'start' } : { at: 'ply', id: ply.id, index: held };
}

/** A step of `by` plies; stepping past the last one leads back to live. */
export function step(plies: readonly Ply[], place: Place, by: number): Place {
  const to = indexAt(plies, place) + by;
  if (to >= plies.length || (place.at === 'live' && by > 0)) return LIVE;
  return placeAt(plies, Math.max(-1, to));
}

/** The place that an address asks for with `?ply=`; live where it names none, or one that was removed. The first ply may be number 0. */
export function askedPlace(plies: readonly Ply[], search: string): Place {
  const wanted = new URLSearchParams(search).get('ply');
  const index = wanted === null || wanted === '' ? -1 : plies.findIndex(({ id }) => id === Number(wanted));
  return index < 0 ? LIVE : placeAt(plies, index);
}

/** One board as it is drawn. */
export interface BoardView {
  readonly fen: string;
  readonly turn: Side;
  /** The squares of the last ply on this board. */
  readonly last: readonly string[];
  /** The side whose king is attacked. */
  readonly check: Side | null;
  /** The server's word for the board's state; only live boards have one. */
  readonly state: string;
  readonly uncertain: readonly Uncertain[];
  /** None where there are none, or they are unknown. */
  readonly reserves: Reserves | null;
  readonly clock: ClockReading | null;
  /** This board's own latest ply; none at the set-up. */
  readonly ply: Ply | null;
}

/** A board on which nothing is known to stand. */
const NOTHING = '8/8/8/8/8/8/8/8';

/** The server's words for boards on which the king of the side to move is attacked. */
export const IN_CHECK: ReadonlySet<string> = new Set(['check', 'blockable-check', 'mate']);

/** A board of the match as seen from `place`. */
export function boardView(match: Match, place: Place, board: BoardId): BoardView {
  const now = match.table.boards[board];
  return place.at === 'live' && now !== null
    ? liveView(match, now, board)
    : pastView(match, indexAt(match.plies, place), board);
}

function liveView(match: Match, now: BoardNow, board: BoardId): BoardView {
  return {
    fen: placementOf(now.fen),
    turn: now.turn,
    last: now.last === null ? [] : squaresOf(now.last),
    check: IN_CHECK.has(now.state) ? now.turn : null,
    state: now.state,
    uncertain: now.uncertain,
    reserves: now.reserves,
    clock: now.clock,
    ply: match.plies.findLast((ply) => ply.board === board) ?? null,
  };
}

function pastView(match: Match, index: number, board: BoardId): BoardView {
  const past = match.plies.slice(0, index + 1);
  const own = past.findLast((ply) => ply.board === board) ?? null;
  const held = match.table.boards[board]?.reserves == null ? null : { white: '', black: '' };
  const reserves = past.at(-1)?.after.reserves[board] ?? held;
  const turn = own?.after.turn ?? 'white';
  return {
    fen: placementOf(own?.after.fen ?? match.start[board] ?? NOTHING),
    turn,
    last: own === null ? [] : squaresOf(own.uci),
    check: own !== null && /[+#]/.test(own.san) ? turn : null,
    state: own !== null && own.san.includes('#') ? 'mate' : 'normal',
    uncertain: own?.after.uncertain ?? [],
    reserves,
    clock: pastClock(past, board, match.base_ms),
    ply: own,
  };
}

/** Both clocks as last read at a ply of theirs; they stand, because this is the past. */
function pastClock(past: readonly Ply[], board: BoardId, base_ms: number): ClockReading {
  const read = (side: Side): number =>
    past.findLast((ply) => ply.board === board && ply.side === side && ply.clock_ms !== null)?.clock_ms ?? base_ms;
  return { white_ms: read('white'), black_ms: read('black'), running: null, read_at_ms: 0, delay_left_ms: 0 };
}
