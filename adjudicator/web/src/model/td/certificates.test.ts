import { expect, it } from 'vitest';
import { certificates, ordinal } from './certificates';
import type { EventSheet, StandingsSheet } from './wire';

it('places are written as people say them', () => {
  expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 103, 111].map(ordinal)).toEqual(['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '22nd', '103rd', '111th']);
});

it('each player of a placed team has a certificate, shared places say so, and nobody without points', () => {
  const players = (...names: string[]) => names.map((name, player) => ({ player, name, consent: null, is_followed: false }));
  const event = { sections: [{ section: 'K-5', entrants: [{ number: 1, players: players('Ada', 'Bo') }, { number: 2, players: players('Cy') }, { number: 3, players: [] }] }] } as unknown as EventSheet;
  const row = (rank: number, number: number, name: string, score: number) => ({ rank, number, name, score });
  const sheet = { section: 'K-5', standings: { rows: [row(1, 1, 'Hawks', 2), row(2, 2, 'Cy', 1), row(2, 3, 'No. 3', 1), row(4, 4, 'Owls', 0)] } } as unknown as StandingsSheet;
  const made = certificates(event, sheet, 4);
  expect(made.map(({ name, team, place }) => [name, team, place])).toEqual([
    ['Ada', 'Hawks', '1st place'], ['Bo', 'Hawks', '1st place'], ['Cy', '', '2nd place, shared'], ['No. 3', '', '2nd place, shared'],
  ]);
  expect(made[2]?.points).toBe('1 point');
  expect(certificates(event, sheet, 1)).toHaveLength(2);
});
