import { describe, expect, it } from 'vitest';
import { boardNow, table } from '../fixtures/samples';
import { countsOf, freeTables, rowsOf } from './roundboard';
import { eventSheet } from './wire';

const pairing = (id: number, change: object = {}) => ({ pairing: id, round: 1, table: String(id), sides: [[1], [2]], names: ['Rooks', 'Kings'], seats: [1, 2, 3, 4], running: false, result: null, confirmed: false, ...change });
const event = (pairings: readonly object[], terms: object | null = null) =>
  eventSheet({ name: 'Spring', tables: ['1', '2', '9'], sections: [{ section: 'K-5', game: 'teams', rulebook: 'own', rounds: 3, opened: 1, games_per_round: 1, terms, entrants: [], pairings }] }, '');
const at = (name: string, change: object = {}) => table({ table: name, round: 1, rulebook: 'own', state: 'set-up', ...change });

describe('the round board', () => {
  it('counts where tables are, and puts first what is not ready', () => {
    const pairings = [pairing(1), pairing(2), pairing(3, { running: true }), pairing(4, { result: '1-0' }), pairing(5, { result: '1-0', confirmed: true }), pairing(6)];
    const rows = rowsOf(event(pairings), [at('1', { state: 'ready' }), at('2', { sensors: 'lost' }), at('3', { state: 'playing' }), at('4', { state: 'ended' }), at('5', { state: 'ended' })]);
    expect(rows.map((row) => `${row.pairing.table} ${row.kind}`)).toEqual(['2 not-ready', '6 not-ready', '1 ready', '3 playing', '4 to-confirm', '5 done']);
    expect(countsOf(rows)).toEqual([['not-ready', 2], ['setting-up', 0], ['ready', 1], ['playing', 1], ['to-confirm', 1], ['done', 1]]);
    expect(freeTables(event(pairings))).toEqual(['9']);
  });

  it('says what is missing and what to do about it', () => {
    const notes = (change: object, terms: object | null = null) => rowsOf(event([pairing(1)], terms), [at('1', change)])[0]?.notes.join('; ') ?? '';
    expect(notes({})).toBe('');
    expect(notes({ rulebook: 'other' })).toContain('goes by other');
    expect(notes({ sensors: 'lost' })).toContain('its hub is offline');
    expect(notes({ boards: { A: boardNow(), B: null } })).toContain('one of its boards');
    const terms = { game: 'teams', rulebook: 'own', rounds: 3, tie_breaks: [], time: { periods: [{ base_s: 300 }] } };
    const time = { periods: [{ base_s: 180, moves: null }], increment_s: 0, delay_s: 0, delay: null };
    expect(notes({ time }, terms)).toContain('clocks are set otherwise');
    expect(rowsOf(event([pairing(1)]), [])[0]?.notes[0]).toContain('no hub knows this table');
    // The match before only counts by its presence.
    expect(notes({ round: 3, rulebook: 'other', state: 'ended' })).toBe('what was played there before is still at the table: set up the next match');
  });
});
