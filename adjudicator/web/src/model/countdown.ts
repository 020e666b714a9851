/** The round on a screen: what is counted down to, large enough for the back of the hall. */
import { t } from '../language/language';
import { type Clock, type RoundTimes, endWords, hour, leftWords } from './notices';

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
        return { title: t('{section}: round {starts} begins', { section: round.section, starts }), large: leftWords(round.starts_ms, now_ms), small: t('at {at}', { at: at(round.starts_ms) }) };
  }
  const title = t('{section}, round {round}', { section: round.section, round: round.round });
  const over = t('{over} of {pairings} tables are done', { over: round.over, pairings: round.pairings });
  if (round.pairings > 0 && round.over === round.pairings) return { title, large: t('Over'), small: '' };
  if (round.ends.likely_ms !== null) return { title, large: at(round.ends.likely_ms), small: `${endWords(round.ends, at)}; ${over}` };
  return { title, large: '–', small: round.pairings === 0 ? t('not paired yet') : over };
}
