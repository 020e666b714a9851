/**
 * The automatic director: which table the stream shows, with a steady hand.
 *
 * A table is interesting by the likely reasons of a decision: time, checks, what the players hold. A cut needs a table that is clearly
 * more interesting, and comes no sooner than six seconds after the last one. A match that ends is shown to its end.
 */
import { t } from '../../language/language';
import { clockFace } from '../clock';
import { clocksRun, isOver } from '../tablestate';
import { type BoardNow, type Side, type Table, sensedBoards } from '../wire';
import { canMate, isSacrifice, pressure, squaresOf } from './danger';

/** Pause between two looks of the director. */
export const LOOK_EVERY_MS = 500;
/** No shot is shorter. */
export const SHOT_MIN_MS = 6_000;
/** Time that the end of a match stays on the screen. */
export const END_MS = 8_000;
/** Shortest shot, when another table cannot wait. */
export const END_LEAST_MS = 4_000;
/** Interest that cannot wait: a mate or a flag is near. */
const URGENT = 60;
/** Factor by which another table must be more interesting. */
const MARGIN = 26;
/** From then on a shot loses interest, down to no margin. */
const LONG_SHOT_MS = 60_000;
/** A match that is played, beside one that is not. */
const PLAYED = 10;
/** A match that has lasted is nearer its end. */
const PLIES_A_POINT = 3;
const PLIES_MOST = 32;
/** From so many pieces in hand on they count, and no more than so many. */
const HELD_MANY = 4;
const HELD_MOST = 14;
/** A piece that is given near the king. */
const SACRIFICE = 4;
/** Factor of an uncertain position: shown less often, but not never. */
const DOUBT_MOST = 5;

export interface Interest {
  readonly points: number;
  /** Reason, for the caption. */
  readonly reason: string;
}

export interface Shot {
  readonly table: string;
  readonly since_ms: number;
  readonly reason: string;
  /** Time at which the end of its match was noticed. */
  readonly over_since_ms: number | null;
}

/** True if the board shows mate before the result is published. */
function isDecided(table: Table): boolean {
  return isOver(table) || sensedBoards(table).some((board) => table.boards[board]?.state === 'mate');
}

/** Interest of a table at a time of the server; `rate` is match time in a second. */
export function interest(table: Table, now_ms: number, rate: number): Interest {
  if (table.match === null || table.sensors === 'lost' || isDecided(table)) return { points: 0, reason: '' };
  if (table.state !== 'playing') return { points: 1, reason: '' };
  const boards = sensedBoards(table).flatMap((board) => table.boards[board] ?? []);
  const found = [...ofTime(table, boards, now_ms, rate), ...boards.flatMap(ofPieces)];
  const held = boards.reduce((sum, { reserves }) => sum + (reserves === null ? 0 : reserves.white.length + reserves.black.length), 0);
  if (held >= HELD_MANY) found.push({ points: Math.min(HELD_MOST, held), reason: t('{held} {held|one:piece|other:pieces} in hand', { held }) });
  const doubt = boards.reduce((sum, { uncertain }) => sum + uncertain.length, 0);
  const strongest = found.reduce((most, one) => (one.points > most.points ? one : most), { points: 0, reason: '' });
  const points = PLAYED + Math.min(PLIES_MOST, table.ply_count / PLIES_A_POINT) + found.reduce((sum, one) => sum + one.points, 0);
  return { points: Math.max(1, points - Math.min(DOUBT_MOST, doubt)), reason: strongest.reason };
}

function ofTime(table: Table, boards: readonly BoardNow[], now_ms: number, rate: number): Interest[] {
  const lowest = boards.map(({ clock }) => {
    if (clock === null) return Infinity;
    const at = clocksRun(table) ? now_ms : clock.read_at_ms;
    return Math.min(...(['white', 'black'] as const).map((side) => clockFace(clock, side, at, rate).remaining_ms));
  });
  const least_ms = Math.min(...lowest);
  const found: Interest[] = [];
  if (least_ms < 5_000) found.push({ points: 70, reason: t('five seconds left') });
  else if (least_ms < 10_000) found.push({ points: 45, reason: t('ten seconds left') });
  else if (least_ms < 30_000) found.push({ points: 12, reason: t('under half a minute') });
  else if (least_ms < 60_000) found.push({ points: 4, reason: t('under a minute') });
  if (lowest.length > 1 && Math.max(...lowest) < 60_000) found.push({ points: 6, reason: t('both boards under a minute') });
  return found;
}

/** Danger that a board's pieces are to each of its kings. */
function ofPieces(board: BoardNow): Interest[] {
  const { turn, state, reserves, last } = board;
  const found: Interest[] = [];
  if (state === 'blockable-check') found.push({ points: 15, reason: t('a check that waits for a piece') });
  else if (state === 'check') found.push({ points: 9, reason: t('check') });
  if (last !== null && isSacrifice(squaresOf(board.fen), last)) found.push({ points: SACRIFICE, reason: t('a sacrifice') });
  const dangers = dangersOf(board.fen, reserves?.white ?? '', reserves?.black ?? '');
  for (const side of ['white', 'black'] as const) {
    const { mate, mateWithAny, pressure } = dangers[side];
    const moves = turn === side;
    found.push({ points: pressure, reason: pressure >= 6 ? t('a king under fire') : '' });
    if (mate) found.push({ points: moves ? 62 : 6, reason: moves ? t('mate may be on the board') : t('a threat of mate') });
    else if (mateWithAny && moves) found.push({ points: 7, reason: t('mate, if the partner passes the piece') });
  }
  return found;
}

interface Danger {
  /** True if this side could mate with one ply from its reserve, or with any piece from its partner. */
  readonly mate: boolean;
  readonly mateWithAny: boolean;
  /** Attack on the other king. */
  readonly pressure: number;
}

type Dangers = Readonly<Record<Side, Danger>>;

/** Boards seen lately: the director looks twice a second, and most boards stand as they stood. */
const SEEN_MAX = 128;
const seen = new Map<string, Dangers>();

function dangersOf(fen: string, white: string, black: string): Dangers {
  const key = `${fen} ${white} ${black}`;
  const known = seen.get(key);
  if (known !== undefined) return known;
  const squares = squaresOf(fen);
  const of = (side: Side, reserve: string): Danger => ({
    mate: canMate(squares, side, reserve),
    mateWithAny: canMate(squares, side, 'QRBNP'),
    pressure: pressure(squares, side === 'white' ? 'black' : 'white'),
  });
  const found = { white: of('white', white), black: of('black', black) };
  if (seen.size >= SEEN_MAX) seen.clear();
  seen.set(key, found);
  return found;
}

/** The caption of a match that has been decided. */
const atEnd = () => t('the end of the match');
/** Caption of a scene that a person chose. */
const byDirectors = () => t('chosen by the directors');

/** The shot after this one: the same as long as no cut is worth it. */
export function direct(shot: Shot | null, tables: readonly Table[], now_ms: number, rate: number): Shot | null {
  const chosen = tables.find(({ on_stream }) => on_stream);
  if (chosen !== undefined) {
    const since_ms = chosen.table === shot?.table ? shot.since_ms : now_ms;
    return { table: chosen.table, since_ms, reason: byDirectors(), over_since_ms: null };
  }
  const rated = tables.map((table) => ({ table, ...interest(table, now_ms, rate) }));
  const best = rated.reduce<(typeof rated)[number] | null>((most, one) => (most === null || one.points > most.points ? one : most), null);
  const cut = best === null || best.points === 0 ? null : { table: best.table.table, since_ms: now_ms, reason: best.reason, over_since_ms: null };
  const shown = rated.find(({ table }) => table.table === shot?.table);
  if (shot === null || shown === undefined) return cut;
  const over_since_ms = isDecided(shown.table) ? (shot.over_since_ms ?? now_ms) : null;
  const same = { ...shot, over_since_ms, reason: over_since_ms === null ? shot.reason : atEnd() };
  const length_ms = now_ms - shot.since_ms;
  if (cut === null || cut.table === shot.table || length_ms < SHOT_MIN_MS) return same;
  if (over_since_ms !== null) return now_ms - over_since_ms >= (best !== null && best.points >= URGENT ? END_LEAST_MS : END_MS) ? cut : same;
  // The table has nothing to show: its sensors are lost, or its match is over.
  if (shown.points === 0) return cut;
  const margin = MARGIN * Math.min(1, Math.max(0, 2 - length_ms / LONG_SHOT_MS));
  return best !== null && best.points > shown.points + margin ? cut : same;
}
