import { describe, expect, it } from 'vitest';
import { OPENING, SCENE_RETRY_MAX_MS, broken, heard, isSilent, lasted, restartRetryAfter_ms, retryAfter_ms } from './line';

describe('the line', () => {
  it('is stale since the server was last heard, however often it fails after that', () => {
    const first = broken(heard(), 1_000);
    expect(first).toEqual({ kind: 'stale', since_ms: 1_000 });
    expect(broken(first, 9_000)).toBe(first);
    expect(broken(OPENING, undefined)).toBe(OPENING);
  });

  it('is given up after three missed beats', () => {
    expect(isSilent(6_000)).toBe(false);
    expect(isSilent(6_001)).toBe(true);
  });

  it('is tried again soon, then less and less often, within bounds', () => {
    const waits = [0, 1, 2, 3, 4, 5, 50].map((attempt) => retryAfter_ms(attempt, 0.5));
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
    expect([retryAfter_ms(0, 0), retryAfter_ms(0, 1)]).toEqual([250, 750]);
    expect(retryAfter_ms(50, 1)).toBe(12_000);
    expect([restartRetryAfter_ms(0), restartRetryAfter_ms(1)]).toEqual([100, 500]);
    expect([0, 1].map((spread) => retryAfter_ms(50, spread, SCENE_RETRY_MAX_MS))).toEqual([750, 1250]);
  });

  it.each([[0, '0 s'], [89_999, '89 s'], [90_000, '1 min'], [5_400_000, '1 h']])('has lasted %i ms: %s', (ms, text) =>
    expect(lasted(ms)).toBe(text),
  );
});
