import { describe, expect, it } from 'vitest';
import { patched } from './patch';

describe('a merge patch', () => {
  it('changes, adds and removes members, however deep, and nothing else', () => {
    const table = { table: '1', boards: { A: { turn: 'white', last: null }, B: null }, result: { winner: 1 }, teams: ['a', 'b'] };
    const patch = { boards: { A: { last: 'e2e4' }, B: { turn: 'black', last: null } }, result: null, teams: ['c', 'd'] };
    expect(patched(table, patch)).toEqual({ table: '1', boards: { A: { turn: 'white', last: 'e2e4' }, B: { turn: 'black' } }, teams: ['c', 'd'] });
    expect(patched(table, {})).toEqual(table);
  });
});
