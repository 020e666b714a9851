import { describe, expect, it } from 'vitest';
import { type Child, type ChildRound, clockWords, nowWords, resultWords, seatWords } from './child';

const at = (ms: number) => `t${ms / 60_000}`;
const round = (change: Partial<ChildRound> = {}): ChildRound => ({
  round: 2, state: 'paired', table: '4', board: 'A', color: 'white', as_paired: true, against: 'Rooks', result: null, confirmed: false, clock: null, ends: null, ...change,
});
const child = (rounds: ChildRound[], starts_ms: number | null = null): Child => ({
  now_ms: 0, event: 'Spring', name: 'Ana', section: 'K-5', number: 3, team: 'Knights', points: 1, is_provisional: false, rounds, announcements: [], starts_ms, messages: null,
});

describe('a family', () => {
  it('reads where its child sits, and whether that is only as paired', () => {
    expect(seatWords(round())).toBe('Table 4, board A, white (as paired)');
    expect(seatWords(round({ as_paired: false }))).toBe('Table 4, board A, white');
    expect(seatWords(round({ board: null, color: null }))).toBe('Table 4');
    expect(nowWords(child([round()], 120_000), 60_000, at)).toEqual(['Table 4, board A, white (as paired)', 'Round 2, against Rooks', 'It begins at t2 (in 1:00)']);
  });

  it('reads the clock while it runs, and the result from its side', () => {
    const clock = { left_ms: 90_000, runs: true, read_at_ms: 1_000 };
    expect(clockWords(round({ clock }), 11_000)).toBe('1:20 left, running');
    expect(clockWords(round({ clock: { ...clock, runs: false } }), 11_000)).toBe('1:30 left');
    expect(clockWords(round({ clock }), 999_000)).toBe('0:00 left, running');
    expect(resultWords(round({ result: '0-1' }))).toBe('0-1, to be confirmed');
    expect(resultWords(round({ state: 'bye', table: null }))).toBe('bye');
    expect(nowWords(child([round({ state: 'over', result: '1-0', confirmed: true })]), 0, at)[0]).toBe('1-0');
    expect(nowWords(child([round({ state: 'over', result: '1-0', confirmed: true })], 60_000), 0, at)[2]).toBe('The next round begins at t1 (in 1:00)');
    expect(nowWords(child([]), 0, at)[0]).toBe('No round is paired yet');
  });
});
