/** What a family reads of its child by its link. */
import { coded, t } from '../language/language';
import { type Decoded, boolean, list, nullable, number, object, otherwise, string } from './decode';
import { announcement, ends, type Clock, endWords, hour, untilWords } from './notices';

const round = object({
  round: number,
  state: string,
  table: nullable(string),
  board: nullable(string),
  color: nullable(string),
  as_paired: boolean,
  against: nullable(string),
  result: nullable(string),
  confirmed: boolean,
  clock: nullable(object({ left_ms: number, runs: boolean, read_at_ms: number })),
  ends: nullable(ends),
});
export const child = object({
  now_ms: number,
  event: string,
  name: string,
  section: nullable(string),
  number: nullable(number),
  team: nullable(string),
  points: nullable(number),
  is_provisional: boolean,
  rounds: list(round),
  announcements: list(announcement),
  starts_ms: nullable(number),
  /** Messages about the pairings, where the organiser has a server for them. */
  messages: otherwise(nullable(object({ address: string, is_on: boolean })), null),
});
export type Child = Decoded<typeof child>;
export type ChildRound = Decoded<typeof round>;

/** `Table 4, board A, White`; a seat that is only the list's says so. */
export function seatWords(of: ChildRound): string {
  if (of.table === null) return t('Bye');
  const seat = [of.board === null ? '' : t('board {board}', { board: of.board }), coded(of.color ?? '')].filter((one) => one !== '');
  const as = of.as_paired && seat.length > 0 ? t(' (as paired)') : '';
  return [t('Table {table}', { table: of.table }), ...seat].join(', ') + as;
}

/** What a round came to, from the child's side. */
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
