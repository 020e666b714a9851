import { describe, expect, test } from 'vitest';
import { boardsOf, clip, events, sensedAt } from './evidence';

const line = (t_us: number, rest: object) => ({ t_us, board: 'A', ...rest });
const shown = clip(
  {
    from_us: 1_000_000,
    to_us: 5_000_000,
    lines: [
      line(1_000_000, { kind: 'snapshot', occupied: 'ffff00000000ffff' }),
      line(1_000_000, { kind: 'clock', white_ms: 1, black_ms: 2, running: 'white' }),
      line(1_500_000, { kind: 'square', square: 'e2', reading: 'empty' }),
      line(2_000_000, { kind: 'square', square: 'e4', reading: 'occupied' }),
      line(2_200_000, { kind: 'press', by: 'white' }),
      line(2_200_000, { kind: 'hand', side: 'white', near: true }),
    ],
  },
  'clip',
);

describe('the sensor readings', () => {
  test('is a picture at every moment', () => {
    const before = sensedAt(shown, 'A', 1_200_000);
    expect([before.occupied?.[12], before.occupied?.[28]]).toEqual([true, false]);
    expect(before.running).toBe('white');
    const after = sensedAt(shown, 'A', 2_300_000);
    expect([after.occupied?.[12], after.occupied?.[28]]).toEqual([false, true]);
    expect([...after.lit]).toEqual([28]);
    expect(after.pressed).toBe('white');
    expect(after.hands).toEqual(['white']);
    expect(sensedAt(shown, 'A', 4_000_000).pressed).toBeNull();
  });

  test('is a list in words, without the state it begins with', () => {
    expect(events(shown).map(({ words }) => words)).toEqual(['A e2 empty', 'A e4: a piece', 'A White pressed', 'A White’s hand at the clock']);
    expect(boardsOf(shown)).toEqual(['A']);
  });
});
