import { expect, it } from 'vitest';
import { type AtTablePairing, endedWords, standWords } from './attable';

const of = (more: Partial<AtTablePairing>): AtTablePairing => ({
  pairing: 1, section: 'K-5', round: 2, games: 1, sides: ['Hawks', 'Pawns'], reports: [null, null], result: null, confirmed: false, ...more,
});

it('a report says who wins, game by game where there are several', () => {
  expect(endedWords(of({}), ['second'])).toBe('Pawns wins (0-1)');
  expect(endedWords(of({ games: 2 }), ['first', 'draw'])).toBe('game 1: Hawks wins, game 2: draw (1-0, ½-½)');
});

it('whoever reports sees what the other side reported, and what follows', () => {
  expect(standWords(of({}))).toBe('No report yet.');
  expect(standWords(of({ reports: [null, '1-0'] }))).toBe('Pawns reports 1-0. Hawks has yet to report.');
  expect(standWords(of({ reports: ['1-0', '1-0'] }))).toContain('Both sides report 1-0');
  expect(standWords(of({ reports: ['1-0', '0-1'] }))).toContain('A director comes');
  expect(standWords(of({ reports: ['1-0', '0-1'], result: '1-0', confirmed: true }))).toBe('1-0 is confirmed.');
});
