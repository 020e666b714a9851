import { describe, expect, it } from 'vitest';
import { ServerTime, clockFace, formatClock } from './clock';

const reading = { white_ms: 60_000, black_ms: 90_000, running: 'white' as const, read_at_ms: 1_000_000, delay_left_ms: 0 };

describe('a clock between readings', () => {
  it('goes down for the side whose time runs and stands for the other', () => {
    expect(clockFace(reading, 'white', 1_002_500, 1)).toEqual({ remaining_ms: 57_500, running: true });
    expect(clockFace(reading, 'black', 1_002_500, 1)).toEqual({ remaining_ms: 90_000, running: false });
  });

  it('goes at the rate of a sped-up simulation', () => {
    expect(clockFace(reading, 'white', 1_002_000, 8).remaining_ms).toBe(44_000);
  });

  it('stands until its delay is over', () => {
    const waiting = { ...reading, delay_left_ms: 5_000 };
    expect(clockFace(waiting, 'white', 1_004_900, 1)).toEqual({ remaining_ms: 60_000, running: true });
    expect(clockFace(waiting, 'white', 1_007_500, 1).remaining_ms).toBe(57_500);
  });

  it('never shows less than nothing, nor more than was read', () => {
    expect(clockFace(reading, 'white', 2_000_000, 1).remaining_ms).toBe(1000);
    expect(clockFace({ ...reading, white_ms: 0 }, 'white', 2_000_000, 1).remaining_ms).toBe(0);
    expect(clockFace(reading, 'white', 999_000, 1).remaining_ms).toBe(60_000);
  });

  it.each([
    [300_000, '5:00'],
    [299_001, '5:00'],
    [299_000, '4:59'],
    [60_000, '1:00'],
    [20_000, '0:20'],
    [19_999, '0:20.0'],
    [9_430, '0:09.5'],
    [1, '0:00.1'],
    [0, '0:00.0'],
    [3_600_000, '1:00:00'],
  ])('shows %i ms as %s', (ms, text) => expect(formatClock(ms)).toBe(text));
});

describe('the server’s time', () => {
  it('is unknown before the first message', () => {
    expect(new ServerTime().at(5)).toBeUndefined();
  });

  it('follows the messages that came fastest', () => {
    const time = new ServerTime();
    time.heard(10_000, 0);
    time.heard(11_800, 2_000); // 200 ms late
    expect(time.at(3_000)).toBe(13_000);
  });

  it('forgets a server whose clock was set back', () => {
    const time = new ServerTime();
    time.heard(100_000, 0);
    for (let beat = 1; beat <= ServerTime.SAMPLES_MAX; beat += 1) time.heard(50_000 + beat, beat);
    expect(time.at(100)).toBe(50_100);
  });
});
