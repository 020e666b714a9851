import { describe, expect, it } from 'vitest';
import { START } from './fixtures/samples';
import { differingSquares, isPlacement, kingOf, parsePlacement, placementOf, reserveCounts, squareOffset, squaresOf } from './placement';

describe('a placement', () => {
  it('puts 32 pieces on the initial squares', () => {
    const pieces = parsePlacement(START);
    expect(pieces?.size).toBe(32);
    expect(pieces?.get('e1')).toEqual({ role: 'king', color: 'white', promoted: false });
    expect(pieces?.get('d8')).toEqual({ role: 'queen', color: 'black', promoted: false });
    expect(kingOf(pieces ?? new Map(), 'black')).toBe('e8');
  });

  it('knows promoted pieces by their mark', () => {
    const pieces = parsePlacement('3Q~4/8/8/8/8/8/8/n~7');
    expect(pieces?.get('d8')).toEqual({ role: 'queen', color: 'white', promoted: true });
    expect(pieces?.get('a1')).toEqual({ role: 'knight', color: 'black', promoted: true });
  });

  it.each(['', '8/8/8/8/8/8/8', '9/8/8/8/8/8/8/8', '7/8/8/8/8/8/8/8', 'ppppppppp/8/8/8/8/8/8/8', '~7p/8/8/8/8/8/8/8', 'x7/8/8/8/8/8/8/8', '8/8/8/8/8/8/8/8/8'])(
    'is refused when it is %j',
    (text) => expect(isPlacement(text)).toBe(false),
  );

  it('is what stands before the rest of a FEN or a pocket', () => {
    expect(placementOf(`${START} w KQkq - 0 1`)).toBe(START);
    expect(placementOf(`${START}[QNpp] w - - 0 1`)).toBe(START);
  });

  it('differs from another only where another piece stands, not by the promoted mark', () => {
    expect(differingSquares('4N3/8/8/8/8/8/8/8', '4B3/8/8/8/8/8/8/8')).toEqual(['e8']);
    expect(differingSquares('4N3/8/8/8/8/8/8/8', '4N~3/8/8/8/8/8/8/8')).toEqual([]);
    expect(differingSquares('4N3/8/8/8/8/8/8/8', '3N4/8/8/8/8/8/8/8').sort()).toEqual(['d8', 'e8']);
  });
});

describe('a ply in UCI', () => {
  it('touches the squares it leaves and reaches', () => {
    expect(squaresOf('e7e8q')).toEqual(['e7', 'e8']);
    expect(squaresOf('N@f3')).toEqual(['f3']);
    expect(squaresOf('rubbish')).toEqual([]);
  });
});

describe('a reserve', () => {
  it('is counted by kind, most valuable first', () => {
    expect(reserveCounts('PPQNP')).toEqual([
      { letter: 'Q', count: 1 },
      { letter: 'N', count: 1 },
      { letter: 'P', count: 3 },
    ]);
    expect(reserveCounts('')).toEqual([]);
  });
});

describe('a board', () => {
  it('has a1 at the bottom left for White and at the top right for Black', () => {
    expect(squareOffset('a1', 'white')).toEqual({ x: 0, y: 7 });
    expect(squareOffset('a1', 'black')).toEqual({ x: 7, y: 0 });
  });
});
