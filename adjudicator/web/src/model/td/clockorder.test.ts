import { describe, expect, test } from 'vitest';
import { type DelayKind, delayOf, delayWords, parseTime, perMoveOf, timeWords } from './clockorder';

describe('times of clock orders', () => {
  test('are read as they are typed', () => {
    expect(parseTime('2:00')).toBe(120_000);
    expect(parseTime('90')).toBe(90_000);
    expect(parseTime(' 1:05:00 ')).toBe(3_900_000);
    expect(parseTime('0:05.5')).toBe(5_500);
    expect(parseTime('0:05,5')).toBe(5_500);
  });

  test('that are none are refused', () => {
    for (const text of ['', '0', '0:00', '-2:00', '2:75', 'two', '2:', '99:59:59', '1:2:3:4']) expect(parseTime(text), text).toBeNull();
  });

  test('are shown as clocks show them', () => {
    expect(timeWords(298_400)).toBe('4:59');
    expect(timeWords(9_000)).toBe('0:09');
    expect(timeWords(3_900_000)).toBe('1:05:00');
    expect(timeWords(-200)).toBe('0:00');
  });
});

describe('what a clock is to give for each move', () => {
  test.each([
    ['us', 5, '5 s delay'],
    ['bronstein', 5, '5 s Bronstein delay'],
    ['increment', 2, '2 s increment'],
    ['us', 99, '99 s delay'],
    ['us', 0, 'no delay'],
  ] as const)('%s of %i s is “%s”, and is shown again as it was chosen', (kind: DelayKind, seconds, words) => {
    const gives = perMoveOf(kind, seconds);
    expect(delayWords(gives)).toBe(words);
    expect(delayOf(gives)).toEqual([kind, seconds]);
  });

  test('nothing is nothing, whatever kind was chosen', () => {
    for (const kind of ['us', 'bronstein', 'increment'] as const) expect(perMoveOf(kind, 0)).toEqual({ increment_s: 0, delay_s: 0, delay: null });
  });
});
