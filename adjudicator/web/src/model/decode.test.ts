import { describe, expect, it } from 'vitest';
import { DecodeError } from './decode';
import { chessTable, halfSensedTable, table as sampleTable, ply, snapshot } from './fixtures/samples';
import { beatEvent, matchSnapshot, pliesEvent, roundSnapshot, tableEvent } from './wire';

const wire = <T>(value: T): unknown => JSON.parse(JSON.stringify(value));

describe('what the server sent', () => {
  it('is taken when it is of the agreed shape', () => {
    expect(tableEvent(wire(sampleTable()), '')).toEqual(sampleTable());
    expect(matchSnapshot(wire(snapshot([ply({ id: 1 })])), '').plies).toHaveLength(1);
    expect(beatEvent({ now_ms: 5 }, '')).toEqual({ now_ms: 5 });
  });

  it('may leave out what there is none of', () => {
    const { section: _section, result: _result, match: _match, players: _players, ...rest } = sampleTable();
    expect(tableEvent(wire(rest), '')).toMatchObject({ section: null, result: null, match: null, players: null });
  });

  it('may be of one board, and must be of one', () => {
    for (const one of [chessTable(), halfSensedTable()]) {
      expect(tableEvent(wire(one), '')).toEqual(one);
    }
    const none = { ...chessTable(), boards: { A: null, B: null } };
    expect(() => tableEvent(none, '')).toThrow(/^boards: expected a board that has sensors/);
    const endless = { ...chessTable(), time: { periods: [] } };
    expect(() => tableEvent(endless, '')).toThrow(/^time\.periods: expected at least one/);
  });

  it('of an older server is of bughouse', () => {
    const { game: _game, time: _time, ...older } = sampleTable();
    expect(tableEvent(wire(older), '')).toMatchObject({ game: 'bughouse', time: null });
  });

  it('may have fields that this page does not know', () => {
    expect(tableEvent({ ...sampleTable(), weather: 'fine' }, '')).toEqual(sampleTable());
  });

  it('is refused with the place of what is wrong', () => {
    const bad = { ...sampleTable(), boards: { ...sampleTable().boards, B: { fen: 'nonsense' } } };
    expect(() => tableEvent(bad, '')).toThrow(/^boards\.B\.fen: expected a FEN piece placement of 8 ranks, found "nonsense"$/);
    const late = { match: 'm1', from: 0, total: 2, plies: [ply({ id: 1 }), { ...ply({ id: 2 }), board: 'C' }] };
    expect(() => pliesEvent(late, '')).toThrow(/^plies\[1\]\.board: expected A or B, found "C"$/);
    expect(() => roundSnapshot([], '')).toThrow(DecodeError);
    expect(() => beatEvent({ now_ms: Number.NaN }, '')).toThrow(/expected a number/);
    expect(() => pliesEvent(wire({ match: 'm1', from: 0, total: 1, plies: [ply({ id: 1, p: 1.4 })] }), '')).toThrow(/probability/);
  });

  it('is quoted in short when it is long', () => {
    const error = (() => {
      try {
        return tableEvent({ ...sampleTable(), label: 5, table: 'x'.repeat(500), teams: 'y'.repeat(500) }, '');
      } catch (caught) {
        return caught;
      }
    })();
    expect(String(error).length).toBeLessThan(160);
  });
});
