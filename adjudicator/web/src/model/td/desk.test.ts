import { describe, expect, it } from 'vitest';
import { findingWords, freeNumber, freePairing, freeTable, keyOf, mayEnter, mayWrite, pairingAt, stageOf, unpaired } from './desk';
import { type Finding, eventSheet } from './wire';

const pairing = (change: object) => ({ pairing: 7, round: 2, table: '1', sides: [[1], [2]], names: ['Rooks', 'Kings'], seats: [], running: false, result: null, confirmed: false, ...change });
const event = eventSheet(
  {
    name: 'Spring',
    tables: ['1', '2', '3'],
    sections: [
      {
        section: 'K-5', game: 'teams', rulebook: 'x', rounds: 3, opened: 2, games_per_round: 1, terms: null,
        entrants: [1, 2, 3, 4, 5].map((number) => ({ number, name: `Team ${number}`, withdrawn_from: number === 5 ? 2 : null })),
        pairings: [pairing({}), pairing({ pairing: 3, round: 1, sides: [[1], [3]] })],
        byes: [{ number: 4, round: 2, bye: 'half-point' }],
        findings: [{ finding: 'rematch', pairing: 7, met: 1 }],
      },
    ],
  },
  '',
);
const [section] = event.sections;

describe('the desk', () => {
  it('enters results by key, and confirms', () => {
    expect(keyOf('1')).toMatchObject({ enter: { outcome: { win: 'first' } } });
    expect(keyOf('x')).toMatchObject({ enter: { outcome: 'double-forfeit' } });
    expect([keyOf('c'), keyOf('Enter'), keyOf('ArrowUp'), keyOf('q')]).toEqual(['confirm', 'confirm', 'up', null]);
  });

  it('says where a pairing is on its way, and enters nothing where play goes on or a result counts', () => {
    if (section === undefined) throw new Error('no section');
    const of = (change: object) => eventSheet({ ...event, sections: [{ ...section, pairings: [pairing(change)] }] }, '').sections[0];
    const stages = [{}, { running: true }, { result: '1-0' }, { result: '1-0', confirmed: true }].map((change) => {
      const [one] = of(change)?.pairings ?? [];
      return one === undefined ? '' : `${stageOf(one)} ${String(mayEnter(section, one))} ${String(mayWrite(section, one))}`;
    });
    // A slip may come while a clock runs that was not stopped.
    expect(stages).toEqual(['to-play true true', 'playing false true', 'to-confirm true true', 'done false false']);
  });

  it('finds the pairing with which a table is exchanged', () => {
    if (section === undefined) throw new Error('no section');
    const [one] = section.pairings;
    const other = { ...pairing({ pairing: 8, table: '2' }), seats_as_paired: false, on_paper: false, matches: [] };
    const both = eventSheet({ ...event, sections: [{ ...section, pairings: [...section.pairings, other] }] }, '').sections[0];
    if (one === undefined || both === undefined) throw new Error('no pairing');
    expect([pairingAt(both, '2', one)?.pairing, pairingAt(both, '1', one), pairingAt(both, '3', one)]).toEqual([8, undefined, undefined]);
  });

  it('names who is left out and what is free', () => {
    if (section === undefined) throw new Error('no section');
    expect(unpaired(section, 2)).toEqual([3]);
    expect([freePairing(event), freeNumber(section), freeTable(event, 2)]).toEqual([8, 6, '2']);
  });

  it('says what should be looked at', () => {
    if (section === undefined) throw new Error('no section');
    const [rematch] = section.findings;
    const none: Finding = { finding: 'unpaired', number: 3, pairing: null, met: null, color: null, in_a_row: null, surplus: null, section: null };
    expect(rematch && findingWords(section, rematch)).toBe('Table 1: Rooks – Kings met before, in round 1');
    expect(findingWords(section, none)).toBe('Team 3 is in no pairing and has no bye');
    expect(findingWords(section, { ...none, finding: 'colour', pairing: 7, color: 'white', in_a_row: 3, surplus: 3 })).toBe('Table 1: Team 3 has white 3 times in a row');
    expect(findingWords(section, { ...none, finding: 'shared-table', pairing: 7, section: 'K-8' })).toBe('Table 1: section K-8 has a pairing there in this round, too');
  });
});
