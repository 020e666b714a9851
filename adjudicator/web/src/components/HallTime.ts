/** The time by which all clocks of a page go. */
import { createContext } from 'preact';

export interface HallTimeValue {
  /** Server time in Unix milliseconds; stands still while the line is not live. */
  readonly now_ms: () => number | undefined;
  /** Whether the line is live; clocks of a line that is not stand, and look it. */
  readonly live: boolean;
  /** How many milliseconds the clocks go in one. */
  readonly rate: number;
}

export const HallTime = createContext<HallTimeValue>({ now_ms: () => undefined, live: false, rate: 1 });
