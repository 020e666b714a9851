import { describe, expect, it } from 'vitest';
import { START, boardNow, chessTable, halfSensedTable, ply, plyTo, snapshot, table } from './fixtures/samples';
import { fromSnapshot } from './match';
import { LIVE, askedPlace, boardView, indexAt, placeAt, step } from './walk';

const A1 = 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR';
const A2 = 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR';
const B1 = 'rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR';
const reserves = { A: { white: 'P', black: '' }, B: { white: '', black: 'N' } };
const plies = [
  plyTo(11, A1, { clock_ms: 299_000 }),
  plyTo(12, B1, { board: 'B', uci: 'd2d4' }),
  { ...plyTo(13, A2, { side: 'black', uci: 'e7e5', san: 'e5+' }), after: { fen: A2, turn: 'white' as const, reserves, uncertain: [{ square: 'e5', p: 0.6, candidates: [] }] } },
];
const match = fromSnapshot(
  'm1',
  snapshot(plies, { table: table({ boards: { A: boardNow({ fen: A2, last: 'e7e5', state: 'check', turn: 'white' }), B: boardNow({ fen: B1, turn: 'black' }) } }) }),
);

describe('walking through a match', () => {
  it('steps back from live, to the set-up and no further', () => {
    expect(indexAt(plies, LIVE)).toBe(2);
    const back = step(plies, LIVE, -1);
    expect(back).toEqual({ at: 'ply', id: 12, index: 1 });
    expect(step(plies, back, -5)).toEqual({ at: 'start' });
    expect(step(plies, { at: 'start' }, -1)).toEqual({ at: 'start' });
  });

  it('ends at live when it steps past the last ply', () => {
    expect(step(plies, placeAt(plies, 2), 1)).toEqual(LIVE);
    expect(step(plies, LIVE, 1)).toEqual(LIVE);
    expect(step([], LIVE, -1)).toEqual({ at: 'start' });
  });

  it('stays at its ply when a revision puts another before it, and nearby when it is taken back', () => {
    const place = placeAt(plies, 1);
    expect(indexAt([ply({ id: 9 }), ...plies], place)).toBe(2);
    expect(indexAt([plies[0]!, plies[2]!], place)).toBe(1);
    expect(indexAt([], place)).toBe(-1);
  });
});

describe('a board as it was', () => {
  it('shows both boards as they stood after the ply, each by its own latest one', () => {
    const place = placeAt(plies, 1);
    expect(boardView(match, place, 'A')).toMatchObject({ fen: A1, turn: 'black', last: ['e2', 'e4'], check: null });
    expect(boardView(match, place, 'B')).toMatchObject({ fen: B1, last: ['d2', 'd4'] });
  });

  it('shows the set-up before the first ply', () => {
    expect(boardView(match, { at: 'start' }, 'B')).toMatchObject({ fen: START, turn: 'white', last: [], reserves: { white: '', black: '' } });
  });

  it('shows reserves, doubts and check of that moment', () => {
    const view = boardView(match, placeAt(plies, 2), 'A');
    expect(view.reserves).toEqual({ white: 'P', black: '' });
    expect(view.uncertain).toHaveLength(1);
    expect(view.check).toBe('white');
    expect(boardView(match, placeAt(plies, 2), 'B').reserves?.black).toBe('N');
  });

  it('shows the clocks as read then, standing, and the base time before a first reading', () => {
    const { clock } = boardView(match, placeAt(plies, 2), 'A');
    expect(clock).toEqual({ white_ms: 299_000, black_ms: 300_000, running: null, read_at_ms: 0, delay_left_ms: 0 });
  });

  it('has no reserve where nobody knows what is held, nor in chess', () => {
    for (const of of [chessTable(), halfSensedTable()]) {
      const after = { ...plies[0]!.after, reserves: { A: null, B: null } };
      const alone = fromSnapshot('m1', snapshot([{ ...plies[0]!, after }], { table: of, start: { A: START, B: null } }));
      for (const place of [LIVE, placeAt(alone.plies, 0), { at: 'start' } as const]) {
        expect(boardView(alone, place, 'A').reserves).toBeNull();
      }
    }
  });

  it('is the server’s own picture when live', () => {
    expect(boardView(match, LIVE, 'A')).toMatchObject({ fen: A2, last: ['e7', 'e5'], check: 'white', state: 'check' });
    expect(boardView(match, LIVE, 'B')).toMatchObject({ turn: 'black', last: [], check: null });
  });

  it('an address that names no ply shows the boards as they are, also where the first ply is number 0', () => {
    const first = [plyTo(0, A1, {}), ...plies];
    expect(askedPlace(first, '')).toEqual(LIVE);
    expect(askedPlace(first, '?ply=')).toEqual(LIVE);
    expect(askedPlace(first, '?ply=99')).toEqual(LIVE);
    expect(askedPlace(first, '?ply=0')).toEqual({ at: 'ply', id: 0, index: 0 });
    expect(askedPlace(first, '?ply=12')).toEqual({ at: 'ply', id: 12, index: 2 });
  });
});
