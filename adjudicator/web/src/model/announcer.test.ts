import { expect, it } from 'vitest';
import { factsOf } from './announcer';
import { table as sample } from './fixtures/samples';
import type { EventSheet, StandingsSheet } from './td/wire';

const event = {
  name: 'Spring', tables: ['1', '2'], linked_tables: [], heard: [],
  sections: [{ section: 'K-5', rounds: 5, opened: 2, pairings: [{ round: 2, confirmed: true }, { round: 2, confirmed: false }] }],
} as unknown as EventSheet;

it('results are read aloud once they are confirmed, and no sooner', () => {
  const of = (confirmed: boolean) => ({ ...sample(), section: 'K-5', round: 2, sides: ['Hawks', 'Pawns'], teams: ['Hawks', 'Pawns'], result: { winner: 1, side: 0, board: 'A', reason: 'mate', text: '', confirmed_by: confirmed ? 'director' : null } }) as never;
  const lines = (confirmed: boolean) => factsOf(event, [of(confirmed)], null, [], null, 0).flatMap((one) => one.lines);
  expect(lines(true).join(' ')).toContain('Hawks wins, by mate (Hawks – Pawns).');
  expect(lines(false).join(' ')).not.toContain('wins');
  expect(lines(true)).toContain('Round 2 of 5: 1 of 2 results are confirmed.');
});

it('leaders are named with their points, another section is left out', () => {
  const sheet = { section: 'K-5', standings: { after_round: 1, provisional: false, rows: [{ rank: 1, name: 'Hawks', score: 1 }, { rank: 2, name: 'Pawns', score: 0 }] } } as unknown as StandingsSheet;
  const [facts] = factsOf(event, [], null, [sheet], 'K-5', 0);
  expect(facts?.lines.at(-1)).toBe('After round 1: 1. Hawks with 1.');
  expect(factsOf(event, [], null, [sheet], 'K-12', 0)).toEqual([]);
});
