import { describe, expect, it } from 'vitest';
import { LISTS, fits } from './lists';

describe('the columns of an organiser’s list', () => {
  it('are remembered for files that have them all, however they are written', () => {
    const kept = { team: 'Equipe', player: 'Kid 1' };
    expect(fits(kept, ['kid  1', ' EQUIPE', 'Kid 2'])).toBe(true);
    expect(fits(kept, ['Equipe', 'Kid 2'])).toBe(false);
    expect(fits(null, ['Equipe'])).toBe(false);
    expect(fits({}, ['Equipe'])).toBe(false);
  });

  it('are at least as many as a list needs', () => {
    for (const { fields, needed, typed } of LISTS) {
      expect(fields.length).toBeGreaterThanOrEqual(needed);
      if (typed !== null) expect(typed.split(',').length).toBeGreaterThan(needed);
    }
  });
});
