import { describe, expect, it } from 'vitest';
import { roundLists } from './pairings';
import { eventSheet } from './td/wire';

const player = (id: number, name: string) => ({ player: id, name });
const pairing = (id: number, table: string, sides: number[][], names: string[]) => ({ pairing: id, round: 2, table, sides, names, seats: [], running: false, result: null, confirmed: false });
const event = eventSheet(
  {
    name: 'Spring',
    tables: ['2', '10'],
    sections: [
      {
        section: 'K-5', game: 'teams', rulebook: 'x', rounds: 3, opened: 2, games_per_round: 1, terms: null,
        entrants: [
          { number: 1, name: 'Rooks', players: [player(1, 'Zoe'), player(2, 'Ana')], withdrawn_from: null },
          { number: 2, name: 'Bishops', players: [], withdrawn_from: null },
          { number: 3, name: 'Team 10', withdrawn_from: null },
          { number: 4, name: 'Team 9', withdrawn_from: null },
          { number: 5, name: 'Kings', withdrawn_from: null },
        ],
        pairings: [pairing(1, '10', [[1], [2]], ['Rooks', 'Bishops']), pairing(2, '2', [[3], [4]], ['Team 10', 'Team 9'])],
        byes: [{ number: 5, round: 2, bye: 'half-point' }],
      },
      { section: 'Later', game: 'teams', rulebook: 'x', rounds: 3, opened: 0, games_per_round: 1, terms: null, entrants: [], pairings: [] },
    ],
  },
  '',
);

describe('pairings for people', () => {
  it('are found by name, by team and by table, in the order in which people count', () => {
    const [list, ...others] = roundLists(event, '');
    expect(others).toEqual([]);
    expect(list?.byTable.map(({ table }) => table)).toEqual(['2', '10']);
    expect(list?.byName.map(({ name, table }) => `${name} ${table}`)).toEqual(['Ana (Rooks) 10', 'Bishops 10', 'Rooks 10', 'Team 9 2', 'Team 10 2', 'Zoe (Rooks) 10']);
    expect(list?.byName[0]?.against).toBe('Bishops');
    expect(list?.byes).toEqual(['Kings: half point bye']);
    expect(roundLists(event, 'Later')).toEqual([]);
  });
});
