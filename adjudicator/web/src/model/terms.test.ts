import { describe, expect, it } from 'vitest';
import { table } from './fixtures/samples';
import { termsWords, timeWords } from './terms';

const none = { increment_s: 0, delay_s: 0, delay: null };
const rest = (base_s: number) => ({ base_s, moves: null });

describe('a time control in words', () => {
  it.each([
    [{ ...none, periods: [rest(300)] }, '5 min'],
    [{ ...none, periods: [rest(180)], increment_s: 2 }, '3 min · 2 s increment'],
    [{ ...none, periods: [rest(90)], delay_s: 5, delay: 'us' as const }, '1 min 30 s · 5 s delay'],
    [
      { ...none, periods: [{ base_s: 5400, moves: 40 }, rest(1800)], delay_s: 5, delay: 'bronstein' as const },
      '40 moves in 90 min, then 30 min · 5 s Bronstein delay',
    ],
    [{ ...none, periods: [{ base_s: 7200, moves: 40 }, { base_s: 3600, moves: 20 }] }, '40 moves in 120 min, then 20 moves in 60 min, and so on'],
  ])('%j is “%s”', (time, words) => expect(timeWords(time)).toBe(words));

  it('stands behind the game, and is left out where it is not known', () => {
    expect(termsWords(table({ game: 'chess', time: { ...none, periods: [rest(1800)] } }))).toBe('Chess · 30 min');
    expect(termsWords(table())).toBe('Bughouse');
  });
});
