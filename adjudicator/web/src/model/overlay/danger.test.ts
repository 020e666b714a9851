import { describe, expect, it } from 'vitest';
import { canMate, escapes, isMated, isSacrifice, pressure, squaresOf } from './danger';

const of = (placement: string) => squaresOf(placement);

describe('how near a king is to mate', () => {
  it('sees a mate that nothing can prevent, and none where something could stand between', () => {
    expect(isMated(of('r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR'), 'black')).toBe(true);
    expect(isMated(of('6k1/5ppp/8/8/8/8/8/6K1'), 'black')).toBe(false);
    expect(isMated(of('4R1k1/5ppp/8/8/8/8/8/6K1'), 'black')).toBe(false);
    expect(isMated(of('6rk/5Npp/8/8/8/8/8/6K1'), 'black')).toBe(true);
  });

  it('sees a mate in one by a move, and by a drop of what is held', () => {
    const scholars = of('r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR');
    expect(canMate(scholars, 'white', '')).toBe(true);
    expect(canMate(scholars, 'black', '')).toBe(false);
    const corner = of('6rk/6pp/8/8/8/8/8/6K1');
    expect(canMate(corner, 'white', '')).toBe(false);
    expect(canMate(corner, 'white', 'PN')).toBe(true);
    expect(canMate(corner, 'white', 'PB')).toBe(false);
  });

  it('does not take a mate for one that leaves its own king in check', () => {
    expect(canMate(of('4r1rk/6pp/8/8/4N3/8/8/4K3'), 'white', '')).toBe(false);
    expect(canMate(of('r5rk/6pp/8/6N1/8/8/8/4K3'), 'white', '')).toBe(true);
  });

  it('counts where a king can go, and what bears on it', () => {
    const start = of('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR');
    expect([escapes(start, 'white'), pressure(start, 'white')]).toEqual([0, 0]);
    expect(escapes(of('8/8/8/8/4K3/8/8/7k'), 'white')).toBe(8);
    expect(pressure(of('8/8/8/4q3/4K3/8/8/7k'), 'white')).toBeGreaterThan(4);
  });

  it('sees a piece that is given near the king, and no exchange, no guarded piece and nothing far away', () => {
    const bishopTakes = of('rnbqk2r/pppp1Bpp/5n2/4p3/4P3/8/PPPP1PPP/RNBQK1NR');
    expect(isSacrifice(bishopTakes, 'c4f7')).toBe(true);
    expect(isSacrifice(bishopTakes, 'e2e4')).toBe(false);
    const guardedQueen = of('r1bqkbnr/pppp1Qpp/2n5/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR');
    expect(isSacrifice(guardedQueen, 'h5f7')).toBe(false);
    const droppedKnight = of('5rk1/5pp1/7N/8/8/8/8/6K1');
    expect(isSacrifice(droppedKnight, 'N@h6')).toBe(true);
    expect(isSacrifice(of('5rk1/5pp1/8/8/8/8/8/N5K1'), 'N@a1')).toBe(false);
    expect(isSacrifice(droppedKnight, '')).toBe(false);
  });
});
