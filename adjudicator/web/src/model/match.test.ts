import { describe, expect, it } from 'vitest';
import { ply, plyTo, snapshot, table } from './fixtures/samples';
import { fromSnapshot, withPlies, withTable } from './match';
import type { PliesEvent, Ply } from './wire';

const EMPTY = '8/8/8/8/8/8/8/8';
const event = (from: number, plies: Ply[], total = from + plies.length): PliesEvent => ({ match: 'm1', from, plies, total });

describe('a match', () => {
  const start = fromSnapshot('m1', snapshot([ply({ id: 1 }), ply({ id: 2, board: 'B' })]));

  it('grows by the plies that come', () => {
    const next = withPlies(start, event(2, [ply({ id: 3 })]));
    expect(next?.plies.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(next?.news).toEqual([{ kind: 'ply', ply: ply({ id: 3 }) }]);
    expect(next?.revised).toEqual([]);
  });

  it('takes the same event twice without harm', () => {
    const once = withPlies(start, event(2, [ply({ id: 3 })]));
    const twice = once && withPlies(once, event(2, [ply({ id: 3 })]));
    expect(twice?.plies).toEqual(once?.plies);
    expect(twice?.news).toEqual([]);
  });

  it('ignores events of other matches', () => {
    expect(withPlies(start, { ...event(0, []), match: 'm2' })).toBe(start);
    expect(withTable(start, table({ match: 'm2' }))).toBe(start);
    expect(withTable(start, table({ state: 'ended' })).table.state).toBe('ended');
  });

  it('loses plies that were taken back', () => {
    expect(withPlies(start, event(1, []))?.plies.map(({ id }) => id)).toEqual([1]);
  });

  it('has to be fetched again when plies before an event are missing', () => {
    expect(withPlies(start, event(3, [ply({ id: 4 })]))).toBeUndefined();
    expect(withPlies(start, event(2, [ply({ id: 3 })], 9))).toBeUndefined();
    expect(withPlies(start, event(-1, []))).toBeUndefined();
  });

  it('tells which square a revision changed, also when play has gone on', () => {
    const before = fromSnapshot(
      'm1',
      snapshot([
        plyTo(1, '8/8/8/8/8/5N2/8/8', { san: 'N@f3', uci: 'N@f3' }),
        plyTo(2, '8/8/8/8/8/5N2/8/7k', { uci: 'g1h1' }),
        plyTo(3, EMPTY, { board: 'B' }),
      ]),
    );
    const revised = withPlies(
      before,
      event(0, [
        plyTo(1, '8/8/8/8/8/5B2/8/8', { san: 'B@f3', uci: 'B@f3', was: 'N@f3' }),
        plyTo(2, '8/8/8/8/8/5B2/8/7k', { uci: 'g1h1' }),
        plyTo(3, EMPTY, { board: 'B' }),
        plyTo(4, '8/8/8/8/8/5B2/8/6k1', { uci: 'h1g1' }),
      ]),
    );
    expect(revised?.revised).toEqual([{ board: 'A', square: 'f3' }]);
    expect(revised?.revision).toBe(1);
    expect(revised?.news.map(({ kind }) => kind)).toEqual(['revised', 'ply']);
  });

  it('keeps the sign of the last revision when further plies come', () => {
    const before = fromSnapshot('m1', snapshot([plyTo(1, '8/8/8/8/8/5N2/8/8', { uci: 'N@f3' })]));
    const revised = withPlies(before, event(0, [plyTo(1, '8/8/8/8/8/5B2/8/8', { uci: 'B@f3' })]));
    const later = revised && withPlies(revised, event(1, [ply({ id: 2, board: 'B' })]));
    expect(later?.revision).toBe(1);
    expect(later?.revised).toEqual([{ board: 'A', square: 'f3' }]);
  });
});
