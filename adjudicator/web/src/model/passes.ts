/** Pieces that go from one board to the other: which capture made which drop possible. Pure. */
import { roleOf, squaresOf } from './placement';
import { type BoardId, type Ply, opposite } from './wire';

/** A capture and the partner's drop that it made possible, as indices into the plies. */
export interface Pass {
  readonly capture: number;
  readonly drop: number;
  readonly from: { readonly board: BoardId; readonly square: string };
  readonly to: { readonly board: BoardId; readonly square: string };
}

/** A drop within this after its capture belongs to it in everybody's eyes, match time. */
export const NEAR_MS = 15_000;

const other = (board: BoardId): BoardId => (board === 'A' ? 'B' : 'A');

/**
 * Every capture with its drop, in the order of the drops. A reserve is a queue: the second knight that is dropped is the second that was
 * passed, so that without that capture there would have been nothing to drop.
 */
export function passes(plies: readonly Ply[]): readonly Pass[] {
  const held = new Map<string, number[]>();
  return plies.flatMap((ply, index): Pass[] => {
    const square = squaresOf(ply.uci).at(-1);
    if (square === undefined) return [];
    if (ply.uci[1] !== '@') {
      const letter = passed(plies, index);
      if (letter === null) return [];
      const key = `${other(ply.board)} ${opposite(ply.side)} ${letter}`;
      held.set(key, [...(held.get(key) ?? []), index]);
      return [];
    }
    const queue = held.get(`${ply.board} ${ply.side} ${ply.uci[0] ?? ''}`);
    const capture = queue?.shift();
    const taken = capture === undefined ? undefined : plies[capture];
    const from = taken === undefined ? undefined : squaresOf(taken.uci).at(-1);
    if (capture === undefined || taken === undefined || from === undefined) return [];
    return [{ capture, drop: index, from: { board: taken.board, square: from }, to: { board: ply.board, square } }];
  });
}

/** The letter that a ply added to the partner's reserve; null for none. */
function passed(plies: readonly Ply[], index: number): string | null {
  const ply = plies[index];
  if (ply === undefined) return null;
  const [to, side] = [other(ply.board), opposite(ply.side)];
  const now = ply.after.reserves[to]?.[side] ?? '';
  const before = plies[index - 1]?.after.reserves[to]?.[side] ?? '';
  if (now.length <= before.length) return null;
  const left = [...before];
  const added = [...now].find((letter) => {
    const at = left.indexOf(letter);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return added !== undefined && roleOf(added) !== undefined ? added.toUpperCase() : null;
}

/** Those near enough in time to be shown as one deed. */
export function nearPasses(plies: readonly Ply[]): readonly Pass[] {
  return passes(plies).filter(({ capture, drop }) => (plies[drop]?.t_ms ?? 0) - (plies[capture]?.t_ms ?? 0) <= NEAR_MS);
}
