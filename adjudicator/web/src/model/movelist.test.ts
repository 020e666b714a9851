import { describe, expect, it } from 'vitest';
import { ply } from './fixtures/samples';
import { moveRows, numberOf, rows } from './movelist';

describe('the move list', () => {
  it('keeps true order in rows of at most one ply of each board, A before B', () => {
    const boards = ['A', 'B', 'B', 'A', 'A', 'B'] as const;
    const list = rows(boards.map((board, index) => ply({ id: index + 1, board })));
    expect(list.map(({ A, B }) => [A?.index, B?.index])).toEqual([[0, 1], [undefined, 2], [3, undefined], [4, 5]]);
  });

  it('has a row a move of a single board, and a row of its own for a ply out of turn', () => {
    const sides = ['white', 'black', 'white', 'white', 'black'] as const;
    const numbers = [1, 1, 2, 3, 3];
    const list = moveRows(sides.map((side, index) => ply({ id: index + 1, side, number: numbers[index]! })));
    expect(list.map(({ number, white, black }) => [number, white?.index, black?.index])).toEqual([
      [1, 0, 1],
      [2, 2, undefined],
      [3, 3, 4],
    ]);
  });

  it('begins with Black where Black began', () => {
    expect(moveRows([ply({ id: 1, side: 'black' })])).toMatchObject([{ number: 1, white: null }]);
  });

  it('numbers plies as BPGN does', () => {
    expect(numberOf({ number: 12, board: 'A', side: 'white' })).toBe('12A.');
    expect(numberOf({ number: 12, board: 'A', side: 'black' })).toBe('12a.');
    expect(numberOf({ number: 3, board: 'B', side: 'black' })).toBe('3b.');
  });
});
