/** A match as a film: both boards on one time line, which begins with the first set-up and goes by match time. */
import { coded, served, t } from '../language/language';
import type { Match } from './match';
import { type Pass, nearPasses } from './passes';
import { type BoardView, boardView, placeAt } from './walk';
import { sideName } from './names';
import { BOARDS, type BoardId, type ClockReading, type Ply, type Ruled, type Side, opposite } from './wire';

/** After the last ply, so that the end can be seen. */
const AFTER_END_MS = 3_000;

/** Match time that the line of a passed piece stays on the boards. */
const PASS_SHOWN_MS = 4_000;

export const SPEEDS = [0.5, 1, 2, 4, 8] as const;

export function length_ms(match: Match): number {
  return Math.max(0, ...match.plies.map(({ t_ms }) => t_ms)) + AFTER_END_MS;
}

/** Index of the last ply at a time; -1 before the first. Plies stand in the order of play. */
export function indexAtTime(plies: readonly Ply[], t_ms: number): number {
  let [from, to] = [0, plies.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((plies[middle]?.t_ms ?? Infinity) <= t_ms) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

/** A board at a time; its clock runs from its own last ply on. */
export function replayView(match: Match, t_ms: number, board: BoardId): BoardView {
  const index = indexAtTime(match.plies, t_ms);
  const view = boardView(match, index < 0 ? { at: 'start' } : placeAt(match.plies, index), board);
  return { ...view, clock: view.clock === null ? null : running(match, view, view.clock) };
}

/** Clocks run from each board's first ply to its last one. */
function running(match: Match, view: BoardView, clock: ClockReading): ClockReading {
  const { ply } = view;
  if (ply === null || isLast(match, ply)) return clock;
  return { ...clock, running: opposite(ply.side), read_at_ms: ply.t_ms };
}

function isLast(match: Match, ply: Ply): boolean {
  return match.plies.findLast(({ board }) => board === ply.board)?.id === ply.id;
}

export type MarkKind = 'capture' | 'drop' | 'check' | 'mate' | 'claim';

/** A mark on the time line. */
export interface Mark {
  readonly t_ms: number;
  readonly board: BoardId;
  readonly kind: MarkKind;
  /** The move, or what was decided. */
  readonly words: string;
}

/** The weightiest of a ply's marks: a mate is a check, too. */
export function marks(plies: readonly Ply[]): readonly Mark[] {
  return plies.flatMap(({ t_ms, board, san }) => {
    const kind: MarkKind | null = san.includes('#') ? 'mate' : san.includes('+') ? 'check' : san.includes('@') ? 'drop' : san.includes('x') ? 'capture' : null;
    return kind === null ? [] : [{ t_ms, board, kind, words: san }];
  });
}

/** The claims that were decided, as marks. */
export function claimMarks(decided: readonly Ruled[]): readonly Mark[] {
  return decided.map((claim) => ({ t_ms: claim.t_ms, board: claim.board, kind: 'claim', words: claimWords(claim) }));
}

/** `White on A claimed: The opponent's ply was illegal. Denied.` */
export function claimWords({ side, board, about, ruling }: Ruled): string {
  return t('{side} on {board} claimed: {about} {ruling}.', { side: sideName(side), board, about: served(about), ruling: coded(ruling).replace(/^./, (letter) => letter.toUpperCase()) });
}

/** Pieces on their way at a time: dropped a moment ago, and passed shortly before. */
export function passesAt(plies: readonly Ply[], t_ms: number): readonly Pass[] {
  return nearPasses(plies).filter(({ drop }) => {
    const dropped_ms = plies[drop]?.t_ms ?? Infinity;
    return dropped_ms <= t_ms && t_ms < dropped_ms + PASS_SHOWN_MS;
  });
}

/** The most that a clock of the match has shown: some are set wrongly. */
export function mostTime_ms(match: Match): number {
  return Math.max(1, match.base_ms, ...match.plies.map(({ clock_ms }) => clock_ms ?? 0));
}

/** Times of a player's clock after each of their plies. */
export function clockLine(match: Match, board: BoardId, side: Side): readonly { readonly t_ms: number; readonly left_ms: number }[] {
  const read = match.plies.flatMap(({ board: at, side: of, t_ms, clock_ms }) => (at === board && of === side && clock_ms !== null ? [{ t_ms, left_ms: clock_ms }] : []));
  // A clock that was set wrongly did not begin where the rules say.
  const first = Math.max(match.base_ms, read[0]?.left_ms ?? 0);
  return [{ t_ms: 0, left_ms: first }, ...read];
}

/** The time that a link names, `#t=83.5` in seconds. */
export function linkedTime(hash: string): number | null {
  const seconds = Number(/[#&]t=(\d+(?:\.\d+)?)/.exec(hash)?.[1] ?? NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : null;
}

export const linkTo = (t_ms: number): string => `#t=${(t_ms / 1000).toFixed(1)}`;

/** Boards of a match. */
export function boardsOf(match: Match): readonly BoardId[] {
  return BOARDS.filter((board) => match.start[board] !== null || match.plies.some((ply) => ply.board === board));
}
