import { describe, expect, test } from 'vitest';
import { asList } from './shape';

describe('the round as a list', () => {
  test('suits many tables on a phone and nothing else', () => {
    expect(asList('', null, 390, 50)).toBe(true);
    expect(asList('', null, 390, 8)).toBe(false);
    expect(asList('', null, 1280, 50)).toBe(false);
  });

  test('is what was chosen, and what the address asks for before that', () => {
    expect(asList('', '1', 1280, 3)).toBe(true);
    expect(asList('', '0', 390, 50)).toBe(false);
    expect(asList('?list=0', '1', 390, 50)).toBe(false);
  });
});
