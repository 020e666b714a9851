/** A match as a score sheet: each board's plies in rows of two. Pure. */
import { formatClock } from './clock';
import { SURE_FROM_P } from './doubt';
import type { BoardId, Ply } from './wire';

export interface Cell {
  /** Its place among the plies of both boards, from 1. */
  readonly n: number;
  readonly san: string;
  /** The mover's time afterwards. */
  readonly clock: string;
  /** True if the ply is uncertain. */
  readonly doubtful: boolean;
  readonly illegal: boolean;
}

export interface Row {
  readonly number: number;
  readonly white: Cell | null;
  readonly black: Cell | null;
}

/** A board's rows. A player who moves twice in a row begins a new one. */
export function rows(plies: readonly Ply[], board: BoardId): Row[] {
  const made: { number: number; white: Cell | null; black: Cell | null }[] = [];
  for (const ply of plies) {
    if (ply.board !== board) continue;
    const cell = { n: ply.n, san: ply.san, clock: ply.clock_ms === null ? '' : formatClock(ply.clock_ms), doubtful: ply.p < SURE_FROM_P, illegal: ply.illegal !== null };
    const last = made.at(-1);
    if (ply.side === 'black' && last !== undefined && last.black === null) last.black = cell;
    else made.push({ number: ply.number, white: ply.side === 'white' ? cell : null, black: ply.side === 'black' ? cell : null });
  }
  return made;
}
