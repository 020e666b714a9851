/** The axis of a photo finish: where each moment's bar begins and ends, in hundredths of the axis, and how far it is from the first. */
import { t } from '../../language/td';
import type { PhotoFinish, ZeroTestResult } from './wire';

export interface Bar {
  readonly left: number;
  readonly width: number;
  /** `0 ms ± 5 ms`, `+120 ms ± 5 ms`. */
  readonly words: string;
}

/** No axis is shorter, so that the errors of one moment do not fill it, microseconds. */
const AXIS_LEAST_US = 40_000;
/** A bar that is narrower cannot be seen, hundredths. */
const WIDTH_LEAST = 1;

export function bars({ moments }: Pick<PhotoFinish, 'moments'>): readonly Bar[] {
  const from_us = Math.min(...moments.map((one) => one.from_us));
  const span_us = Math.max(AXIS_LEAST_US, Math.max(...moments.map((one) => one.until_us)) - from_us);
  const middle = (one: { readonly from_us: number; readonly until_us: number }) => (one.from_us + one.until_us) / 2;
  const first_us = Math.min(...moments.map(middle));
  return moments.map((one) => {
    const width = Math.max(WIDTH_LEAST, ((one.until_us - one.from_us) / span_us) * 100);
    const left = Math.min(100 - width, ((one.from_us - from_us) / span_us) * 100);
    const after = middle(one) - first_us;
    return { left, width, words: `${after > 0 ? '+' : ''}${lapse(after)} ± ${lapse((one.until_us - one.from_us) / 2)}` };
  });
}

/** `12 ms`, `1.25 s`. */
function lapse(us: number): string {
  return us < 1_000_000 ? t('{n} ms', { n: Math.round(us / 1000) }) : `${(us / 1_000_000).toFixed(2)} s`;
}

/** `+20 ms (11 to 29 ms)`: an offset with its interval. */
export function offsetWords({ middle_us, low_us, high_us }: Pick<ZeroTestResult, 'middle_us' | 'low_us' | 'high_us'>): string {
  const ms = (us: number) => `${us <= -500 ? '−' : ''}${Math.round(Math.abs(us) / 1000)}`;
  return t('{middle} ms ({low} to {high} ms)', { middle: `${middle_us > 0 ? '+' : ''}${ms(middle_us)}`, low: ms(low_us), high: ms(high_us) });
}
