import { describe, expect, it } from 'vitest';
import { boardNow, chessTable, halfSensedTable, table } from './fixtures/samples';
import { roundFromSnapshot, roundWithTable } from './round';
import { byTable } from './wire';
import { clocksRun, isOver, matchesSearch, sections, tableState } from './tablestate';
import { opponents, seatLabel } from './names';
import { sensedBoards, teamOf, unseenBoard } from './wire';

describe('a table', () => {
  it('is in the state that weighs most', () => {
    const check = boardNow({ state: 'check' });
    expect(tableState(table())).toEqual({ kind: 'playing', words: 'Playing' });
    expect(tableState(table({ boards: { A: check, B: check } })).words).toBe('Check on A and B');
    expect(tableState(table({ boards: { A: check, B: boardNow({ state: 'mate' }) } }))).toEqual({ kind: 'mate', words: 'Mate on B' });
    expect(tableState(table({ boards: { A: check, B: boardNow() }, sensors: 'lost' })).kind).toBe('lost');
    const flag = { winner: 1, board: 'B' as const, reason: 'flag', text: '…', side: null, confirmed: false, confirmed_by: null };
    expect(tableState(table({ sensors: 'lost', result: flag }))).toEqual({ kind: 'flag', words: 'Flag on B', over: true });
    expect(tableState(table({ state: 'set-up' })).words).toBe('Setting up');
    expect(tableState(table({ state: 'not-followed' })).words).toBe('Not followed');
    expect(tableState(table({ state: 'unheard-of' })).words).toBe('unheard-of');
  });

  it('loses sensors only where it has some and plays', () => {
    const lost = (change: object) => tableState(table({ sensors: 'lost', ...change })).words;
    expect(lost({})).toBe('Sensors lost');
    expect(lost({ state: 'paused' })).toBe('Sensors lost');
    expect(lost({ state: 'waiting', match: null })).toBe('Waiting');
    expect(lost({ state: 'set-up' })).toBe('Setting up');
    expect(lost({ state: 'ended' })).toBe('Ended');
  });

  it('says of no board which one where there is only one', () => {
    const check = { A: boardNow({ state: 'check', reserves: null }), B: null };
    expect(tableState(chessTable({ boards: check })).words).toBe('Check');
    const mate = { winner: 1, board: 'A' as const, reason: 'mate', text: '…', side: null, confirmed: false, confirmed_by: null };
    expect(tableState(halfSensedTable({ result: mate })).words).toBe('Mate');
    expect(tableState(chessTable({ result: { ...mate, winner: 0, reason: 'stalemate' } })).words).toBe('Stalemate');
    expect(tableState(chessTable({ result: { ...mate, winner: 0, reason: 'repetition' } })).words).toBe('Drawn');
  });

  it('has clocks that run only while it plays and reports', () => {
    expect(clocksRun(table())).toBe(true);
    expect(clocksRun(table({ state: 'paused' }))).toBe(false);
    expect(clocksRun(table({ sensors: 'lost' }))).toBe(false);
    expect(clocksRun(table({ result: { winner: 0, board: null, reason: 'both-flags', text: '', side: null, confirmed: false, confirmed_by: null } }))).toBe(false);
  });

  it('is over with a result, and also when nobody can tell how it ended', () => {
    expect(isOver(table())).toBe(false);
    expect(isOver(table({ state: 'paused' }))).toBe(false);
    expect(isOver(table({ state: 'ended' }))).toBe(true);
    expect(isOver(table({ result: { winner: 1, board: 'B' as const, reason: 'mate', text: '', side: null, confirmed: false, confirmed_by: null } }))).toBe(true);
  });

  it('answers to its number, its section and its teams', () => {
    const twelve = table({ table: '12', label: 'Table 12', section: 'Primary', teams: ['Lions', 'Otters'] });
    expect(matchesSearch(twelve, '12')).toBe(true);
    expect(matchesSearch(twelve, '1')).toBe(false);
    expect(matchesSearch(twelve, 'prim ott')).toBe(true);
    expect(matchesSearch(twelve, 'wolves')).toBe(false);
    expect(matchesSearch(twelve, '  ')).toBe(true);
    expect(matchesSearch({ ...twelve, members: ['Ana Avalos'] }, 'ana')).toBe(true);
    expect(matchesSearch(twelve, 'ana')).toBe(false);
    expect(sections([twelve, table(), table({ section: 'Primary' })])).toEqual(['Primary']);
  });

  it('comes after table 9 when it is table 10, and is replaced in its place', () => {
    const tables = ['10', '9', '1'].map((name) => table({ table: name }));
    expect([...tables].sort(byTable).map((each) => each.table)).toEqual(['1', '9', '10']);
    const event = { name: 'E', rulebook: 'r' };
    const round = roundFromSnapshot({ event, last_event_id: '5', now_ms: 0, clock_rate: 1, delay_s: 0, tables });
    const changed = roundWithTable(round, table({ table: '9', state: 'ended' }));
    expect(changed.tables.map(({ table: name, state }) => `${name} ${state}`)).toEqual(['1 playing', '9 ended', '10 playing']);
    expect(roundWithTable(round, table({ table: '2' })).tables.map((each) => each.table)).toEqual(['1', '2', '9', '10']);
  });

  it('seats players and no teams at a chess board, by side where they have no name', () => {
    expect([opponents(chessTable()), seatLabel(chessTable(), 'A', 'white')]).toEqual(['', 'White']);
    const players = { A: { white: 'Ada', black: null }, B: { white: null, black: null } };
    expect(opponents(chessTable({ players }))).toBe('Ada – Black');
    expect(seatLabel(chessTable({ players }), 'A', 'white')).toBe('Ada');
    expect(matchesSearch(chessTable(), 'chess')).toBe(true);
  });

  it('has as many boards as have sensors, and says which has none', () => {
    expect([sensedBoards(table()), unseenBoard(table())]).toEqual([['A', 'B'], null]);
    expect([sensedBoards(chessTable()), unseenBoard(chessTable())]).toEqual([['A'], null]);
    expect([sensedBoards(halfSensedTable()), unseenBoard(halfSensedTable())]).toEqual([['A'], 'B']);
  });

  it('seats team 1 at White of A and Black of B, by name only where there is one', () => {
    expect([teamOf('A', 'white'), teamOf('A', 'black'), teamOf('B', 'white'), teamOf('B', 'black')]).toEqual([1, 2, 2, 1]);
    const named = table({ players: { A: { white: 'Ada', black: null }, B: { white: null, black: null } } });
    expect(seatLabel(named, 'A', 'white')).toBe('Ada');
    expect(seatLabel(named, 'B', 'black')).toBe('Lions');
  });
});
