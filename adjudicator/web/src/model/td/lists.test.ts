import { describe, expect, it } from 'vitest';
import { LISTS, fits, keySource, sourceKey, sourceWords } from './lists';

describe('the columns of an organiser’s list', () => {
  it('are remembered for files that have them all, however they are written', () => {
    const kept = { team: 'Equipe', player: 'Kid 1' };
    expect(fits(kept, ['kid  1', ' EQUIPE', 'Kid 2'])).toBe(true);
    expect(fits(kept, ['Equipe', 'Kid 2'])).toBe(false);
    expect(fits(null, ['Equipe'])).toBe(false);
    expect(fits({}, ['Equipe'])).toBe(false);
  });

  it('may be joined, by place, or a constant', () => {
    const header = ['Name', 'Grade', 'Name', 'Grade'];
    expect(fits({ player: 'Name', partner: 3, round: { value: '2' } }, header)).toBe(true);
    expect(fits({ player: ['Name', 'Surname'] }, header)).toBe(false);
    expect(fits({ partner: 5 }, header)).toBe(false);
    expect(keySource('3', header)).toBe(3);
    expect(keySource('1', header)).toBe('Name');
    expect(sourceKey('Name', header)).toBe('1');
    expect(keySource(sourceKey(['Name', 'Grade'], header), header)).toEqual(['Name', 'Grade']);
    expect(sourceWords(['First', 'Last'])).toBe('First + Last');
  });

  it('are at least as many as a list needs', () => {
    for (const { fields, needed, typed } of LISTS) {
      expect(fields.length).toBeGreaterThanOrEqual(needed);
      if (typed !== null) expect(typed.split(',').length).toBeGreaterThan(needed);
    }
  });
});
