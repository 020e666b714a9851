/** What a family reads of its child by its link. */
import { type Decoded, boolean, list, nullable, number, object, string } from './decode';
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
});
export type Child = Decoded<typeof child>;
export type ChildRound = Decoded<typeof round>;

/** `Table 4, board A, White`; a seat that is only the list's says so. */
export function seatWords(of: ChildRound): string {
  if (of.table === null) return 'Bye';
  const seat = [of.board === null ? '' : `board ${of.board}`, of.color ?? ''].filter((one) => one !== '');
  const as = of.as_paired && seat.length > 0 ? ' (as paired)' : '';
  return [`Table ${of.table}`, ...seat].join(', ') + as;
}

/** What a round came to, from the child's side. */
export function resultWords(of: ChildRound): string {
  if (of.state === 'bye') return 'bye';
  if (of.result === null) return of.state === 'playing' ? 'playing' : 'to be played';
  return of.confirmed ? of.result : `${of.result}, to be confirmed`;
}

/** The clock of a child by now: what was read, less what has run since. */
export function clockWords(of: ChildRound, now_ms: number): string {
  if (of.clock === null) return '';
  const left_s = Math.max(0, Math.floor((of.clock.left_ms - (of.clock.runs ? Math.max(0, now_ms - of.clock.read_at_ms) : 0)) / 1000));
  return `${Math.floor(left_s / 60)}:${String(left_s % 60).padStart(2, '0')} left${of.clock.runs ? ', running' : ''}`;
}

/** The line that matters now. */
export function nowWords(of: Child, now_ms: number, at: Clock = hour): readonly string[] {
  const last = of.rounds.at(-1);
  if (last === undefined) return ['No round is paired yet', of.starts_ms === null ? '' : `It begins at ${at(of.starts_ms)} (${untilWords(of.starts_ms, now_ms)})`];
  const next = of.starts_ms === null ? '' : `It begins at ${at(of.starts_ms)} (${untilWords(of.starts_ms, now_ms)})`;
  switch (last.state) {
    case 'playing':
      return [seatWords(last), `Round ${last.round} is on`, clockWords(last, now_ms), last.ends === null ? '' : endWords(last.ends, at)];
    case 'paired':
      return [seatWords(last), `Round ${last.round}, against ${last.against ?? '?'}`, next];
    case 'bye':
      return ['No game', `Round ${last.round} is a bye`, next];
    default:
      return [resultWords(last), `Round ${last.round} at table ${last.table ?? '?'} is over`, of.starts_ms === null ? 'The next round is not paired yet' : `The next round begins at ${at(of.starts_ms)} (${untilWords(of.starts_ms, now_ms)})`];
  }
}
