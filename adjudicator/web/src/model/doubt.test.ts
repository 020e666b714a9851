import { describe, expect, it } from 'vitest';
import { choices, doubts, nearestDoubt, percent } from './doubt';

describe('an uncertain piece', () => {
  it('is one below nine tenths', () => {
    const entry = (square: string, p: number) => ({ square, p, candidates: [] });
    expect([...doubts([entry('e4', 0.89), entry('d4', 0.9)]).keys()]).toEqual(['e4']);
  });

  it('has its candidates likeliest first, and says what they leave over', () => {
    const shown = choices([{ piece: 'B', p: 0.2 }, { piece: 'N', p: 0.71 }]);
    expect(shown.map(({ name, percent }) => `${name} ${percent}`)).toEqual(['knight 71 %', 'bishop 20 %', 'something else 9 %']);
    expect(choices([{ piece: 'N', p: 0.7 }, { piece: 'P', p: 0.299 }])).toHaveLength(2);
  });

  it('is never called certain or impossible when it is only nearly so', () => {
    expect(percent(0.996)).toBe('99.6 %');
    expect(percent(0.002)).toBe('< 1 %');
    expect(percent(0.715)).toBe('72 %');
    expect(percent(1)).toBe('100 %');
  });

  it('is found by a touch that is near enough, the nearest first', () => {
    const centres = [{ square: 'a1', x: 10, y: 10 }, { square: 'b1', x: 40, y: 10 }];
    expect(nearestDoubt(centres, { x: 30, y: 12 }, 24)).toBe('b1');
    expect(nearestDoubt(centres, { x: 12, y: 30 }, 24)).toBe('a1');
    expect(nearestDoubt(centres, { x: 90, y: 90 }, 24)).toBeUndefined();
  });
});
