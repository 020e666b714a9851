import { describe, expect, it } from 'vitest';
import { type Cell, cellText } from './chart';

const cell = (change: Partial<Cell>): Cell => ({ round: 1, kind: 'win', opponent: 2, game_points: null, had_white: null, running_score: 0, provisional: false, ...change });

describe('a round of a wall chart', () => {
  it('names the opponent by the number that the chart shows', () => {
    expect(cellText(cell({}))).toBe('W 2');
    expect(cellText(cell({ kind: 'loss', opponent: 11, game_points: 0.5 }))).toBe('L 11 (0.5)');
    expect(cellText(cell({ kind: 'half-point-bye', opponent: null }))).toBe('H');
  });

  it('says what is not confirmed or not over', () => {
    expect(cellText(cell({ provisional: true }))).toBe('W 2 *');
    expect(cellText(cell({ kind: 'pending', provisional: true }))).toBe('* 2');
  });
});
