/** Announcements, when rounds begin, and when they end: what `/api/v1/notices` says, and the words for it. */
import { language, t } from '../language/language';
import type { Ends, RoundTimes } from './hall-api';

export { type Announcement, type Ends, type Notices, type RoundTimes, notices } from './hall-api';

export type Clock = (at_ms: number) => string;

/** The hour and minute of a moment, as people of the place write it. */
export const hour: Clock = (at_ms) => new Date(at_ms).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' });

/** `likely over at 14:32 (14:28–14:40), at 14:51 at the latest`; nothing where nothing is known. */
export function endWords(of: Ends, at: Clock = hour): string {
  const words: string[] = [];
  if (of.likely_ms !== null) words.push(t('likely over at {at}', { at: at(of.likely_ms) }));
  if (of.range_ms !== null) words.push(`(${at(of.range_ms[0])}–${at(of.range_ms[1])})`);
  const likely = words.join(' ');
  const latest = of.latest_ms === null ? '' : t('at {at} at the latest', { at: at(of.latest_ms) });
  return [likely, latest].filter((one) => one !== '').join(', ');
}

/** `4:05`, `1 h 20 min`, `now`. */
export function leftWords(at_ms: number, now_ms: number): string {
  const left_s = Math.ceil((at_ms - now_ms) / 1000);
  if (left_s <= 0) return t('now');
  if (left_s >= 3600) return t('{hours} h {minutes} min', { hours: Math.floor(left_s / 3600), minutes: Math.floor((left_s % 3600) / 60) });
  return `${Math.floor(left_s / 60)}:${String(left_s % 60).padStart(2, '0')}`;
}

/** `in 4:05`, `in 1 h 20 min`, `now`. */
export function untilWords(at_ms: number, now_ms: number): string {
  const left = leftWords(at_ms, now_ms);
  return at_ms <= now_ms ? left : t('in {left}', { left });
}

/** Time after the announced beginning at which the countdown of a late round ends. */
const PAST_MS = 10 * 60_000;

/** The line of a round: when it ends, when it or the next one begins; nothing where there is nothing to say. */
export function roundWords(round: RoundTimes, now_ms: number, at: Clock = hour): string {
  const { section, starts_ms } = round;
  const starts = round.starts_round ?? round.round;
  const begins = starts_ms === null || now_ms >= starts_ms + PAST_MS ? '' : t('round {starts} begins at {at} ({until})', { starts, at: at(starts_ms), until: untilWords(starts_ms, now_ms) });
  const ends = begins !== '' && starts === round.round ? '' : endOf(round, at);
  if (ends !== '' && begins !== '') return `${ends}; ${begins}`;
  return ends !== '' || begins === '' ? ends : `${section}, ${begins}`;
}

function endOf(round: RoundTimes, at: Clock): string {
  const name = t('{section}, round {round}', { section: round.section, round: round.round });
  if (round.pairings === 0) return '';
  if (round.over === round.pairings) return t('{name} is over', { name });
  const end = endWords(round.ends, at);
  if (end === '' || round.over + round.to_begin.length + round.without_clock.length === round.pairings) return '';
  const waits = [
    round.to_begin.length > 0 ? t('{tables} to begin', { tables: tablesWords(round.to_begin) }) : '',
    round.without_clock.length > 0 ? t('{tables} without a clock', { tables: tablesWords(round.without_clock) }) : '',
  ].filter((one) => one !== '');
  return `${name}: ${end}${waits.length === 0 ? '' : `; ${waits.join(', ')}`}`;
}

function tablesWords(tables: readonly string[]): string {
  return tables[0] !== undefined && tables.length === 1 ? t('table {table}', { table: tables[0] }) : t('{n} {n|one:table|other:tables}', { n: tables.length });
}
