import { expect, it } from 'vitest';
import { counted } from './countdown';
import type { RoundTimes } from './notices';

const at = (at_ms: number) => `${at_ms / 1000} s`;
const of = (more: Partial<RoundTimes>): RoundTimes => ({
  section: 'K-5', round: 1, starts_ms: null, starts_round: null, ends: { latest_ms: null, likely_ms: null, range_ms: null },
  without_clock: [], to_begin: [], over: 0, pairings: 0, tables: [], ...more,
});

it('a screen counts down to the beginning, then says when the round likely ends, then that it is over', () => {
  const waits = of({ starts_ms: 245_000, pairings: 2, to_begin: ['1', '2'] });
  expect(counted(waits, 0, at)).toEqual({ title: 'K-5: round 1 begins', large: '4:05', small: 'at 245 s' });
  expect(counted(waits, 245_001, at).large).toBe('now');
  const plays = of({ pairings: 2, over: 1, ends: { latest_ms: 900_000, likely_ms: 600_000, range_ms: [500_000, 700_000] } });
  expect(counted(plays, 0, at)).toEqual({ title: 'K-5, round 1', large: '600 s', small: 'likely over at 600 s (500 s–700 s), at 900 s at the latest; 1 of 2 tables are done' });
  expect(counted(of({ pairings: 2, over: 2, starts_ms: 50_000, starts_round: 2 }), 0, at).large).toBe('0:50');
  expect(counted(of({ pairings: 2, over: 2 }), 0, at).large).toBe('Over');
  expect(counted(of({}), 0, at).small).toBe('not paired yet');
});
