import { describe, expect, it } from 'vitest';
import { ply } from './fixtures/samples';
import { sayMove, sayNews } from './speech';

describe('a move in words', () => {
  it.each([
    ['e4', 'pawn to e4'],
    ['N@f3+', 'knight dropped on f3, check'],
    ['@c5#', 'pawn dropped on c5, mate'],
    ['Nbd2', 'knight from b to d2'],
    ['exd8=Q', 'pawn from e takes on d8, promotes to queen'],
    ['O-O-O', 'castles queenside'],
    ['??', '??'],
    ['Ke1xz9', 'Ke1xz9'],
  ])('%s is “%s”', (san, words) => expect(sayMove(san)).toBe(words));

  it('sums up many at once', () => {
    const news = [1, 2, 3, 4, 5].map((id) => ({ kind: 'ply' as const, ply: ply({ id }) }));
    expect(sayNews(news, 2)).toBe('5 moves caught up. Board A, White: pawn to e4.');
    expect(sayNews([{ kind: 'revised', ply: ply({ id: 1, san: 'B@f3' }), was: 'N@f3' }], 2)).toBe(
      'Corrected: Board A, White: bishop dropped on f3, not knight dropped on f3.',
    );
    expect(sayNews([], 2)).toBe('');
  });

  it('says no board’s letter where there is one board', () => {
    expect(sayNews([{ kind: 'ply', ply: ply({ id: 1 }) }], 1)).toBe('White: pawn to e4.');
  });
});
