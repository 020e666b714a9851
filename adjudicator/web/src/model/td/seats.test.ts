import { describe, expect, it } from 'vitest';
import { seatings } from './seats';

describe('seatings', () => {
  it('are eight for two teams, with partners at different boards and opposite colours', () => {
    const all = seatings([1, 2], [3, 4]);
    expect(new Set(all.map(String)).size).toBe(8);
    for (const [whiteA, blackA, whiteB, blackB] of all) {
      expect([whiteA, blackB].sort()).toSatisfy((pair: number[]) => String(pair) === '1,2' || String(pair) === '3,4');
      expect(new Set([whiteA, blackA, whiteB, blackB]).size).toBe(4);
    }
  });

  it('are two for a game of chess, and none where somebody is missing', () => {
    expect(seatings([1], [2])).toEqual([[1, 2], [2, 1]]);
    expect(seatings([], [2])).toEqual([]);
  });
});
