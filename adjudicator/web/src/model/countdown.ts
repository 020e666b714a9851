/** The round on a screen: what is counted down to, large enough for the back of the hall. */
import { type Clock, type RoundTimes, endWords, hour, untilWords } from './notices';

export interface Counted {
  readonly title: string;
  /** `4:05`, `1 h 20 min`; or words, where nothing is counted down. */
  readonly large: string;
  readonly small: string;
}

/** Time for which a round is shown as beginning after its beginning. */
const BEGINS_MS = 60_000;

export function counted(round: RoundTimes, now_ms: number, at: Clock = hour): Counted {
  const starts = round.starts_round ?? round.round;
  const isAhead = round.starts_ms !== null && now_ms < round.starts_ms + BEGINS_MS;
  const hasBegun = round.pairings > 0 && round.over + round.to_begin.length + round.without_clock.length < round.pairings;
  if (isAhead && round.starts_ms !== null && !hasBegun) {
    const until = untilWords(round.starts_ms, now_ms);
    return { title: `${round.section}: round ${starts} begins`, large: until.replace(/^in /, ''), small: `at ${at(round.starts_ms)}` };
  }
  const title = `${round.section}, round ${round.round}`;
  const over = `${round.over} of ${round.pairings} tables are done`;
  if (round.pairings > 0 && round.over === round.pairings) return { title, large: 'Over', small: '' };
  if (round.ends.likely_ms !== null) return { title, large: at(round.ends.likely_ms), small: `${endWords(round.ends, at)}; ${over}` };
  return { title, large: '–', small: round.pairings === 0 ? 'not paired yet' : over };
}
