import { describe, expect, it } from 'vitest';
import { clockFace } from './clock';
import * as samples from './fixtures/samples';
import type { Match } from './match';
import { claimMarks, clockLine, indexAtTime, length_ms, linkTo, linkedTime, marks, mostTime_ms, passesAt, replayView } from './replay';
import type { Ply } from './wire';

const ply = (id: number, board: 'A' | 'B', side: 'white' | 'black', t_ms: number, san: string, clock_ms: number): Ply => ({
  ...samples.ply({ id, board, side, san }),
  t_ms,
  clock_ms,
});

const plies = [
  ply(1, 'A', 'white', 1_000, 'e4', 299_000),
  ply(2, 'B', 'white', 1_500, 'd4', 298_500),
  ply(3, 'A', 'black', 4_000, 'dxe4', 297_000),
  ply(4, 'B', 'black', 9_000, 'P@e6+', 292_500),
];
const match: Match = {
  id: 'm',
  table: samples.table(),
  base_ms: 300_000,
  start: { A: 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR', B: 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR' },
  plies,
  decided: [],
  revised: [],
  revision: 0,
  news: [],
};

describe('a replay', () => {
  it('shows the plies that were played by then, on both boards', () => {
    expect([0, 999, 1_000, 3_999, 4_000, 99_000].map((t_ms) => indexAtTime(plies, t_ms))).toEqual([-1, -1, 0, 1, 2, 3]);
    expect(replayView(match, 2_000, 'A').ply?.id).toBe(1);
    expect(replayView(match, 2_000, 'B').ply?.id).toBe(2);
    expect(length_ms(match)).toBe(12_000);
  });

  it('lets each clock run from the ply before it, and stand once its board is done', () => {
    const left = (t_ms: number, board: 'A' | 'B', side: 'white' | 'black') => {
      const { clock } = replayView(match, t_ms, board);
      return clock === null ? null : clockFace(clock, side, t_ms, 1).remaining_ms;
    };
    expect(left(3_000, 'A', 'black')).toBe(298_000);
    expect(left(3_000, 'A', 'white')).toBe(299_000);
    expect(left(8_000, 'A', 'white')).toBe(299_000);
    expect(left(0, 'B', 'white')).toBe(300_000);
  });

  it('marks captures, drops and checks by their weight', () => {
    expect(marks(plies).map(({ kind }) => kind)).toEqual(['capture', 'check']);
  });

  it('marks claims that were decided, with what was decided', () => {
    const decided = [{ t_ms: 5_000, board: 'A' as const, side: 'white' as const, claim: 'illegal-ply', ply: null, about: 'The ply was illegal.', ruling: 'denied' }];
    expect(claimMarks(decided)).toEqual([{ t_ms: 5_000, board: 'A', kind: 'claim', words: 'White on A claimed: The ply was illegal. Denied.' }]);
  });

  it('joins a drop with the capture that made it possible, for a moment', () => {
    const passed = (id: number, board: 'A' | 'B', side: 'white' | 'black', uci: string, blackB: string, t_ms: number) => {
      const sample = samples.ply({ id, board, side, uci, t_ms });
      return { ...sample, after: { ...sample.after, reserves: { A: { white: '', black: '' }, B: { white: '', black: blackB } } } };
    };
    const two = [passed(1, 'A', 'white', 'e4d5', 'P', 1_000), passed(2, 'B', 'black', 'P@e3', '', 5_000)];
    const shown = (t_ms: number) => passesAt(two, t_ms).length;
    expect([4_999, 5_000, 8_999, 9_000].map(shown)).toEqual([0, 1, 1, 0]);
  });

  it('draws a clock that was set wrongly from where it was set', () => {
    const wrong = { ...match, plies: [ply(1, 'A', 'white', 1_000, 'e4', 359_000)] };
    expect(mostTime_ms(wrong)).toBe(359_000);
    expect(clockLine(wrong, 'A', 'white').map(({ left_ms }) => left_ms)).toEqual([359_000, 359_000]);
  });

  it('has an address for each moment', () => {
    expect(linkTo(83_540)).toBe('#t=83.5');
    expect(linkedTime('#t=83.5')).toBe(83_500);
    for (const hash of ['', '#t=', '#t=x', '#ply=3']) expect(linkedTime(hash)).toBeNull();
  });
});
