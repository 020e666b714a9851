import { describe, expect, it } from 'vitest';
import { ply } from './fixtures/samples';
import { numberOf, rows } from './movelist';

describe('the move list', () => {
  it('keeps true order in rows of at most one ply of each board, A before B', () => {
    const boards = ['A', 'B', 'B', 'A', 'A', 'B'] as const;
    const list = rows(boards.map((board, index) => ply({ id: index + 1, board })));
    expect(list.map(({ A, B }) => [A?.index, B?.index])).toEqual([[0, 1], [undefined, 2], [3, undefined], [4, 5]]);
  });

  it('numbers plies as BPGN does', () => {
    expect(numberOf({ number: 12, board: 'A', side: 'white' })).toBe('12A.');
    expect(numberOf({ number: 12, board: 'A', side: 'black' })).toBe('12a.');
    expect(numberOf({ number: 3, board: 'B', side: 'black' })).toBe('3b.');
  });
});
