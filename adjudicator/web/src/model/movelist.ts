/**
 * The move list. Over two boards: read row by row, left to right, it is the true order in time; each
 * board keeps its own column, so that its game can be read downwards as well. Over one board: a move a
 * row, White's ply and Black's, as on a score sheet.
 */
import type { BoardId, Ply, Side } from './wire';

export interface Entry {
  readonly ply: Ply;
  readonly index: number;
}

/** At most one ply of each board, A's the earlier. */
export interface Row {
  readonly A: Entry | null;
  readonly B: Entry | null;
}

export function rows(plies: readonly Ply[]): Row[] {
  const out: { A: Entry | null; B: Entry | null }[] = [];
  for (const [index, ply] of plies.entries()) {
    const last = out.at(-1);
    if (ply.board === 'B' && last !== undefined && last.B === null) last.B = { ply, index };
    else out.push({ A: null, B: null, [ply.board]: { ply, index } });
  }
  return out;
}

/** One move of a single board. */
export interface MoveRow {
  readonly number: number;
  readonly white: Entry | null;
  readonly black: Entry | null;
}

/** The moves of a single board. A ply out of turn begins a row of its own, so that the order stays true. */
export function moveRows(plies: readonly Ply[]): MoveRow[] {
  const out: { number: number; white: Entry | null; black: Entry | null }[] = [];
  for (const [index, ply] of plies.entries()) {
    const last = out.at(-1);
    const answers = ply.side === 'black' && last !== undefined && last.black === null && last.number === ply.number;
    if (answers) last.black = { ply, index };
    else out.push({ number: ply.number, white: null, black: null, [ply.side]: { ply, index } });
  }
  return out;
}

/** BPGN's numbers: `12A.` for White on board A, `12a.` for Black. */
export function numberOf(ply: { number: number; board: BoardId; side: Side }): string {
  return `${ply.number}${ply.side === 'white' ? ply.board : ply.board.toLowerCase()}.`;
}
