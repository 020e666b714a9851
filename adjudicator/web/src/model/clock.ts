/**
 * Clocks between readings. The hall reports a clock when it is pressed and every few seconds; in
 * between the page counts on by itself, but only as long as it may: while the line is live, the
 * sensors report and the match is on. Otherwise the clock is stopped where the truth ended.
 */
import type { ClockReading, Side } from './wire';

/**
 * Estimates the server's time. Every message says what time it was there when it was sent; the
 * way here only ever makes that older, so the largest difference of the last few is the best one.
 */
export class ServerTime {
  static readonly SAMPLES_MAX = 15;
  private samples: number[] = [];

  /** Takes a message that left at `server_ms` and came at `local_ms` of a steady local clock. */
  heard(server_ms: number, local_ms: number): void {
    this.samples.push(server_ms - local_ms);
    if (this.samples.length > ServerTime.SAMPLES_MAX) this.samples.shift();
  }

  /** The server's time at `local_ms`; nothing before the first message. */
  at(local_ms: number): number | undefined {
    return this.samples.length === 0 ? undefined : local_ms + Math.max(...this.samples);
  }
}

/** Face of a clock. */
export interface ClockFace {
  readonly remaining_ms: number;
  readonly running: boolean;
}

/** The page counts no further down by itself: whether a flag has fallen only a reading may show. */
export const LEAST_COUNTED_MS = 1000;

/**
 * What a side's clock shows at `now_ms` (server time) when the last reading is `reading`. `rate` is
 * how many milliseconds the clocks go in one (1 in a hall, more in a sped-up simulation). A clock with a
 * US delay pauses until the rest of the delay has passed.
 */
export function clockFace(reading: ClockReading, side: Side, now_ms: number, rate: number): ClockFace {
  const read_ms = side === 'white' ? reading.white_ms : reading.black_ms;
  const running = reading.running === side;
  const since_ms = running ? Math.max(0, now_ms - reading.read_at_ms) * rate : 0;
  const elapsed_ms = Math.max(0, since_ms - reading.delay_left_ms);
  const least_ms = Math.max(0, Math.min(read_ms, LEAST_COUNTED_MS));
  return { remaining_ms: Math.max(least_ms, read_ms - elapsed_ms), running };
}

/** Below this the clock shows tenths, as the ones on the tables do. */
export const TENTHS_BELOW_MS = 20_000;

/** `4:59`, and `0:09.4` when tenths count. A clock that has not quite run out never shows zero. */
export function formatClock(remaining_ms: number): string {
  if (remaining_ms < TENTHS_BELOW_MS) {
    const tenths = Math.ceil(Math.max(0, remaining_ms) / 100);
    return `0:${String(Math.floor(tenths / 10)).padStart(2, '0')}.${tenths % 10}`;
  }
  const seconds = Math.ceil(remaining_ms / 1000);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = String(seconds % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}
