import { expect, it } from 'vitest';
import { appealsTo, hears } from './appeals';

it('an appeal goes to the instance above whoever decided last', () => {
  expect(appealsTo({ kind: 'ruling', role: 'director' })).toBe('section-chief');
  expect(appealsTo({ kind: 'ruling', role: 'section-chief' })).toBe('floor-chief');
  expect(appealsTo({ kind: 'decided', role: 'section-chief' })).toBe('floor-chief');
  for (const kind of ['ruling', 'decided']) expect(appealsTo({ kind, role: 'floor-chief' }), 'final').toBeNull();
});

it('the floor chief hears everything, the section chief what is for them, others nothing', () => {
  expect(hears('chief', 'section-chief') && hears('chief', 'floor-chief')).toBe(true);
  expect(hears('section-chief', 'section-chief')).toBe(true);
  expect(hears('section-chief', 'floor-chief') || hears('floor', 'section-chief') || hears('scorekeeper', 'section-chief')).toBe(false);
});
