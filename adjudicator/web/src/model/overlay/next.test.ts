import { describe, expect, it } from 'vitest';
import type { EventSheet, PairingSheet } from '../td/wire';
import { nextRounds } from './next';

const pairing = (round: number, table: string, change: Partial<PairingSheet> = {}): PairingSheet => ({
  pairing: round * 100 + Number(table),
  round,
  table,
  board: null,
  sides: [[1], [2]],
  names: ['Lions', 'Otters'],
  seats: [], seats_as_paired: false, on_paper: false,
  running: false,
  result: null,
  confirmed: false,
  matches: [],
  ...change,
});

function event(pairings: PairingSheet[]): EventSheet {
  const section = { section: 'K-6', game: 'teams' as const, rulebook: 'b', rounds: 3, opened: 2, games_per_round: 1, entrants: [], byes: [], findings: [], terms: null, pairings };
  return { name: 'E', tables: [], linked_tables: [], heard: [], sections: [section] };
}

describe('the next round', () => {
  it('is the earliest that is not played, its tables in order', () => {
    const [next] = nextRounds(event([pairing(1, '1', { result: '1-0' }), pairing(2, '10'), pairing(2, '9'), pairing(3, '1')]), null);
    expect([next?.round, next?.pairings.map(({ table }) => table)]).toEqual([2, ['9', '10']]);
  });

  it('is not there once everything has been played or is on', () => {
    expect(nextRounds(event([pairing(1, '1', { result: '1-0' }), pairing(2, '1', { running: true })]), null)).toEqual([]);
  });

  it('is of the section that is asked for', () => {
    expect(nextRounds(event([pairing(1, '1')]), 'Open')).toEqual([]);
    expect(nextRounds(event([pairing(1, '1')]), 'K-6')).toHaveLength(1);
  });
});
