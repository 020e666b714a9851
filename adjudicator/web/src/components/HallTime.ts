/** The time by which all clocks of a page go. */
import { createContext } from 'preact';

export interface HallTimeValue {
  /** Server time in Unix milliseconds; it does not advance while the connection is not live. */
  readonly now_ms: () => number | undefined;
  /** True if the connection is live; otherwise clocks are stopped and drawn so. */
  readonly live: boolean;
  /** Milliseconds of match time in one of the server's. */
  readonly rate: number;
}

export const HallTime = createContext<HallTimeValue>({ now_ms: () => undefined, live: false, rate: 1 });
