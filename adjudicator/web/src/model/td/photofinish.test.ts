import { expect, it } from 'vitest';
import { bars, offsetWords } from './photofinish';

const moment = (from_us: number, until_us: number) => ({ what: '', seat: 'white-a', team: 'team-1', from_us, until_us }) as const;

it('bars lie on one axis, and those that overlap in time overlap on it', () => {
  const [one, other, late] = bars({ moments: [moment(1_000_000, 1_010_000), moment(1_008_000, 1_018_000), moment(1_090_000, 1_100_000)] });
  expect([one?.left, one?.width]).toEqual([0, 10]);
  expect(other?.left).toBe(8);
  expect((other?.left ?? 0) < (one?.left ?? 0) + (one?.width ?? 0)).toBe(true);
  expect([one?.words, other?.words, late?.words]).toEqual(['0 ms ± 5 ms', '+8 ms ± 5 ms', '+90 ms ± 5 ms']);
});

it('a single instant is seen, and stays on the axis', () => {
  const [bar] = bars({ moments: [moment(5, 5)] });
  expect(bar).toEqual({ left: 0, width: 1, words: '0 ms ± 0 ms' });
  const last = bars({ moments: [moment(0, 10), moment(3_000_000, 3_000_000)] }).at(-1);
  expect((last?.left ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(100);
  expect(last?.words).toBe('+3.00 s ± 0 ms');
});

it('an offset is said with its sign and its interval', () => {
  expect(offsetWords({ middle_us: 20_400, low_us: -500, high_us: 31_000 })).toBe('+20 ms (−1 to 31 ms)');
  expect(offsetWords({ middle_us: -7_000, low_us: -9_000, high_us: 0 })).toBe('−7 ms (−9 to 0 ms)');
});
