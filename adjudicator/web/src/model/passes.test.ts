import { describe, expect, it } from 'vitest';
import * as samples from './fixtures/samples';
import { NEAR_MS, nearPasses, passes } from './passes';
import type { Ply } from './wire';

type Held = { readonly A?: [string, string]; readonly B?: [string, string] };

/** A ply after which the players hold this: White and Black at each board. */
function ply(id: number, board: 'A' | 'B', side: 'white' | 'black', uci: string, held: Held = {}, t_ms = id * 1000): Ply {
  const sample = samples.ply({ id, board, side, uci, t_ms });
  const of = ([white, black] = ['', ''] as [string, string]) => ({ white, black });
  return { ...sample, after: { ...sample.after, reserves: { A: of(held.A), B: of(held.B) } } };
}

describe('a capture and the drop that it made possible', () => {
  it('belong together over the boards, from the square of the one to that of the other', () => {
    const plies = [
      ply(1, 'A', 'white', 'e4d5', { B: ['', 'P'] }),
      ply(2, 'B', 'white', 'e2e4', { B: ['', 'P'] }),
      ply(3, 'B', 'black', 'P@e3', {}),
    ];
    expect(passes(plies)).toEqual([{ capture: 0, drop: 2, from: { board: 'A', square: 'd5' }, to: { board: 'B', square: 'e3' } }]);
  });

  it('are counted as a queue: the second knight that is dropped is the second that was passed', () => {
    const plies = [
      ply(1, 'A', 'white', 'e4d5', { B: ['', 'N'] }),
      ply(2, 'A', 'white', 'b2c3', { B: ['', 'NN'] }),
      ply(3, 'B', 'black', 'N@e3', { B: ['', 'N'] }),
      ply(4, 'B', 'black', 'N@f3', {}),
    ];
    expect(passes(plies).map(({ capture, drop }) => [capture, drop])).toEqual([[0, 2], [1, 3]]);
  });

  it('are of one kind of piece and one team: a pawn that was passed is no knight, and the opponent holds nothing of it', () => {
    const plies = [
      ply(1, 'A', 'white', 'e4d5', { B: ['', 'P'] }),
      ply(2, 'B', 'black', 'N@e3', { B: ['', 'P'] }),
      ply(3, 'B', 'white', 'P@e3', { B: ['', 'P'] }),
    ];
    expect(passes(plies)).toEqual([]);
  });

  it('are shown as one only when they are near in time', () => {
    const plies = (t_ms: number) => [ply(1, 'A', 'black', 'd5e4', { B: ['Q', ''] }, 1_000), ply(2, 'B', 'white', 'Q@h5', {}, t_ms)];
    expect(nearPasses(plies(1_000 + NEAR_MS))).toHaveLength(1);
    expect(nearPasses(plies(1_001 + NEAR_MS))).toHaveLength(0);
  });
});
