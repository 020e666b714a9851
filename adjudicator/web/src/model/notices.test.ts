import { describe, expect, it } from 'vitest';
import { type RoundTimes, endWords, roundWords, untilWords } from './notices';

const at = (ms: number) => `t${ms / 60_000}`;
const minutes = (count: number) => count * 60_000;

function round(change: Partial<RoundTimes> = {}): RoundTimes {
  const ends = { latest_ms: minutes(20), likely_ms: minutes(10), range_ms: [minutes(8), minutes(15)] as [number, number] };
  return { section: 'K-5', round: 2, starts_ms: null, starts_round: null, ends, without_clock: [], to_begin: [], over: 3, pairings: 8, tables: [], ...change };
}

describe('the times of a round', () => {
  it('end likely, within a range, and at the latest', () => {
    expect(endWords(round().ends, at)).toBe('likely over at t10 (t8–t15), at t20 at the latest');
    expect(endWords({ latest_ms: null, likely_ms: null, range_ms: null }, at)).toBe('');
    expect(roundWords(round(), 0, at)).toBe('K-5, round 2: likely over at t10 (t8–t15), at t20 at the latest');
  });

  it('say which tables nothing is known of', () => {
    const ends = { ...round().ends, latest_ms: null };
    expect(roundWords(round({ ends, to_begin: ['4'], without_clock: ['9', '10'] }), 0, at)).toBe('K-5, round 2: likely over at t10 (t8–t15); table 4 to begin, 2 tables without a clock');
    expect(roundWords(round({ over: 0, to_begin: ['1', '2'], pairings: 2 }), 0, at)).toBe('');
    expect(roundWords(round({ over: 8 }), 0, at)).toBe('K-5, round 2 is over');
    expect(roundWords(round({ pairings: 0, over: 0 }), 0, at)).toBe('');
  });

  it('count down to the beginning, and stop some time after it', () => {
    const timed = round({ starts_ms: minutes(30) });
    expect(roundWords(timed, minutes(25) + 55_000, at)).toBe('K-5, round 2 begins at t30 (in 4:05)');
    expect(roundWords({ ...timed, starts_round: 3, over: 8 }, minutes(28), at)).toBe('K-5, round 2 is over; round 3 begins at t30 (in 2:00)');
    expect(roundWords({ ...timed, starts_round: 1, pairings: 0 }, minutes(28), at)).toBe('K-5, round 1 begins at t30 (in 2:00)');
    expect(roundWords(timed, minutes(31), at)).toBe('K-5, round 2 begins at t30 (now)');
    expect(roundWords(timed, minutes(50), at)).toBe('K-5, round 2: likely over at t10 (t8–t15), at t20 at the latest');
    expect(untilWords(minutes(80), 0)).toBe('in 1 h 20 min');
  });
});
