import { describe, expect, test } from 'vitest';
import { rows } from './sheet';
import type { Ply } from './wire';

const ply = (board: 'A' | 'B', side: 'white' | 'black', number: number, san: string, rest: Partial<Ply> = {}) =>
  ({ board, side, number, san, p: 1, clock_ms: 298_000, illegal: null, ...rest }) as Ply;

describe('a score sheet', () => {
  test('has the plies of a board two in a row', () => {
    const found = rows([ply('A', 'white', 1, 'e4'), ply('B', 'white', 1, 'd4'), ply('A', 'black', 1, 'e5'), ply('A', 'white', 2, 'N@f6', { p: 0.6 })], 'A');
    expect(found.map(({ number, white, black }) => [number, white?.san, black?.san])).toEqual([
      [1, 'e4', 'e5'],
      [2, 'N@f6', undefined],
    ]);
    expect(found[1]?.white?.doubtful).toBe(true);
    expect(found[0]?.white?.clock).toBe('4:58');
  });

  test('begins a new row where somebody moves twice', () => {
    const found = rows([ply('A', 'black', 1, 'e5'), ply('A', 'black', 2, 'd5'), ply('A', 'white', 3, 'e4')], 'A');
    expect(found.map(({ white, black }) => [white?.san, black?.san])).toEqual([
      [undefined, 'e5'],
      [undefined, 'd5'],
      ['e4', undefined],
    ]);
  });
});
