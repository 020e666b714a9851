import { describe, expect, it } from 'vitest';
import { chessTable, table } from './fixtures/samples';
import { opponentsAndScore, scored, winnerLabel } from './names';

const result = (winner: number) => ({ winner, board: 'A' as const, reason: 'mate', text: '', side: null, confirmed: false, confirmed_by: null });

describe('who won', () => {
  it('is said by the seats, whatever the order of the pairing list', () => {
    // The first side of the list sits as team 2.
    const seated = table({ sides: ['Otters', 'Pandas'], teams: ['Pandas', 'Otters'] });
    expect(winnerLabel({ ...seated, result: result(1) })).toBe('Pandas');
    expect(winnerLabel({ ...seated, result: result(2) })).toBe('Otters');
    expect(winnerLabel({ ...seated, result: result(0) })).toBe('');
    expect(winnerLabel(seated)).toBe('');
  });

  it('stands beside the names in their order, once it is known', () => {
    const seated = table({ sides: ['Otters', 'Pandas'], teams: ['Pandas', 'Otters'] });
    expect(opponentsAndScore(seated)).toBe('Otters – Pandas');
    expect(opponentsAndScore({ ...seated, result: result(1) })).toBe('Otters 0 – 1 Pandas');
    expect(opponentsAndScore({ ...seated, result: { ...result(0), reason: 'agreement' } })).toBe('Otters ½ – ½ Pandas');
    expect(opponentsAndScore({ ...seated, result: { ...result(0), reason: 'forfeit' } })).toBe('Otters 0 – 0 Pandas');
    expect(opponentsAndScore({ ...seated, result: { ...result(0), reason: 'both-lose' } })).toBe('Otters 0 – 0 Pandas');
    expect(opponentsAndScore({ ...seated, result: { ...result(0), reason: 'half-and-none', side: 1 } })).toBe('Otters 0 – ½ Pandas');
    expect(opponentsAndScore({ ...seated, sides: null, teams: ['Team 1', 'Team 2'], result: result(2) })).toBe('Team 2 wins');
    // The seats are not known: the seats are teams 1 and 2, and the sides keep their names.
    expect(opponentsAndScore({ ...seated, teams: ['Team 1', 'Team 2'], result: result(1) })).toBe('Otters – Pandas');
  });

  it('has points apart from names, so that a long name cuts no result off', () => {
    const long = table({ sides: ['Central High 1', 'Harbor Hawks of the Eastern Shore'], teams: ['Central High 1', 'Harbor Hawks of the Eastern Shore'] });
    expect(scored(long)).toEqual({ names: long.sides, points: null });
    expect(scored({ ...long, result: result(1) })).toEqual({ names: long.sides, points: ['1', '0'] });
    expect(scored(table({ teams: null, sides: null }))).toBeNull();
  });

  it('is said of a game of chess in which nobody is named', () => {
    const hidden = chessTable({ teams: null, sides: ['No. 3', 'No. 4'], result: { ...result(1), side: 0 } });
    expect(opponentsAndScore(hidden)).toBe('No. 3 1 – 0 No. 4');
    expect(opponentsAndScore({ ...hidden, result: { ...result(1), side: 1 } })).toBe('No. 3 0 – 1 No. 4');
  });

  it('is the player in chess where one is named, and else the side', () => {
    const named = chessTable({ teams: null, players: { A: { white: 'Zoë', black: null }, B: { white: null, black: null } } });
    expect(winnerLabel({ ...named, result: result(1) })).toBe('Zoë');
    expect(winnerLabel({ ...named, result: result(2) })).toBe('Black');
  });
});
