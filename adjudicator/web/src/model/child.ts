/** Content of a child's page, which its family opens by link. */
import { coded, t } from '../language/language';
import type { Child, ChildRound } from './hall-api';
import { type Clock, endWords, hour, untilWords } from './notices';

export { type Child, type ChildRound, child } from './hall-api';

/** Text of a seat such as `Table 4, board A, White`; it marks a seat that only the list names. */
export function seatWords(of: ChildRound): string {
  if (of.table === null) return t('Bye');
  const seat = [of.board === null ? '' : t('board {board}', { board: of.board }), coded(of.color ?? '')].filter((one) => one !== '');
  const as = of.as_paired && seat.length > 0 ? t(' (as paired)') : '';
  return [t('Table {table}', { table: of.table }), ...seat].join(', ') + as;
}

/** Outcome of a round from the child's side. */
export function resultWords(of: ChildRound): string {
  if (of.state === 'bye') return t('bye');
  if (of.result === null) return of.state === 'playing' ? t('playing') : t('to be played');
  return of.confirmed ? of.result : t('{result}, to be confirmed', { result: of.result });
}

/** The clock of a child by now: what was read, less what has run since. */
export function clockWords(of: ChildRound, now_ms: number): string {
  if (of.clock === null) return '';
  const left_s = Math.max(0, Math.floor((of.clock.left_ms - (of.clock.runs ? Math.max(0, now_ms - of.clock.read_at_ms) : 0)) / 1000));
  return t('{time} left{running}', { time: `${Math.floor(left_s / 60)}:${String(left_s % 60).padStart(2, '0')}`, running: of.clock.runs ? t(', running') : '' });
}

/** The line that matters now. */
export function nowWords(of: Child, now_ms: number, at: Clock = hour): readonly string[] {
  const last = of.rounds.at(-1);
  if (last === undefined) return [t('No round is paired yet'), of.starts_ms === null ? '' : t('It begins at {at} ({until})', { at: at(of.starts_ms), until: untilWords(of.starts_ms, now_ms) })];
  const next = of.starts_ms === null ? '' : t('It begins at {at} ({until})', { at: at(of.starts_ms), until: untilWords(of.starts_ms, now_ms) });
  switch (last.state) {
    case 'playing':
      return [seatWords(last), t('Round {round} is on', { round: last.round }), clockWords(last, now_ms), last.ends === null ? '' : endWords(last.ends, at)];
    case 'paired':
      return [seatWords(last), t('Round {round}, against {against}', { round: last.round, against: last.against ?? '?' }), next];
    case 'bye':
      return [t('No game'), t('Round {round} is a bye', { round: last.round }), next];
    default:
      return [resultWords(last), t('Round {round} at table {table} is over', { round: last.round, table: last.table ?? '?' }), of.starts_ms === null ? t('The next round is not paired yet') : t('The next round begins at {at} ({until})', { at: at(of.starts_ms), until: untilWords(of.starts_ms, now_ms) })];
  }
}
