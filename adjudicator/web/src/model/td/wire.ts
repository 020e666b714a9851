/** What the server tells directors, as types and as the decoders that make them. */
import type { Columns } from './lists';
import { type Decoded, boolean, list, nullable, number, object, oneOf, otherwise, pair, string } from '../decode';
import { boardId, matchSnapshot, perMove, side } from '../wire';

export const rank = oneOf('scorekeeper', 'floor', 'section-chief', 'chief');
export type Rank = Decoded<typeof rank>;

const scope = object({ sections: otherwise(list(string), []), tables: otherwise(list(string), []) });

export const me = object({ device: number, person: string, rank, scope, until_ms: number });
export type Me = Decoded<typeof me>;

export const paired = object({ key: string, me });

/** The answer to an act that was done: its number in the log. */
export const taken = object({ act: number });

const takenBy = object({ person: string, rank, device: number, at_ms: number });
const urgency = oneOf('claim', 'call', 'clock', 'put-up', 'stopped', 'result', 'sensors', 'silent', 'evidence', 'notice');
const need = object({
  id: string,
  urgency,
  table: string,
  label: string,
  section: nullable(string),
  /** The round of the pairing that it concerns. */
  round: otherwise(nullable(number), null),
  /** That pairing, where it is about no match. */
  pairing: otherwise(nullable(number), null),
  match: nullable(string),
  board: nullable(boardId),
  what: string,
  detail: string,
  rule: nullable(string),
  ply: nullable(number),
  confidence: nullable(number),
  silent: boolean,
  since_ms: number,
  taken: nullable(takenBy),
  level: rank,
  /** It is about a match that is not at its table any more. */
  is_earlier: otherwise(boolean, false),
});
export type Need = Decoded<typeof need>;
export const needsEvent = object({ now_ms: number, needs: list(need) });

export const seat = oneOf('white-a', 'black-a', 'white-b', 'black-b');
export type Seat = Decoded<typeof seat>;
const team = oneOf('team-1', 'team-2');

export const verdict = object({
  against: nullable(number),
  timing: string,
  /** Null where a director decides before seeing what the evidence says. */
  points: nullable(string),
  /** The clauses in our words, the decisive one first. */
  because: list(object({ rule: string, text: string })),
  says: string,
  if_upheld: nullable(string),
  if_denied: nullable(string),
  if_play_on: nullable(string),
});
export type Verdict = Decoded<typeof verdict>;

const question = object({ ply: number, candidates: list(object({ uci: string, p: number })) });
export type Question = Decoded<typeof question>;

const claim = object({
  act: number,
  kind: string,
  about: string,
  by: seat,
  state: string,
  verdict,
  /** The act that decided it last; null while it is open. */
  ruling: nullable(number),
  /** An appeal against that decision that waits. */
  appeal: nullable(number),
  /** What the rules say now, where the evidence has come to speak against the decision. */
  since: nullable(verdict),
  /** What a director who looks at the board should say, where boards alone do not bear the claim out. */
  look_at: otherwise(nullable(question), null),
});
export type Claim = Decoded<typeof claim>;

const names = object({ white: nullable(string), black: nullable(string) });
const alert = object({
  id: string,
  code: string,
  rule: nullable(string),
  board: boardId,
  ply: nullable(number),
  confidence: number,
  claim: string,
  silent: boolean,
  evidence: string,
});
export type Alert = Decoded<typeof alert>;

const line = object({
  number,
  act: number,
  person: string,
  role: string,
  at_ms: number,
  text: string,
  note: nullable(string),
  rules: list(string),
  /** The act that this one takes the place of, or takes back. */
  supersedes: nullable(number),
  kind: string,
});

export type LedgerLine = Decoded<typeof line>;

const order = object({
  act: number,
  person: string,
  at_ms: number,
  what: string,
  board: nullable(boardId),
  state: oneOf('sent', 'taken', 'done', 'by-hand', 'shown', 'refused', 'unknown', 'late', 'contradicted', 'withdrawn'),
  detail: string,
  /** Whether no reading can show that it was done by hand. */
  unseen: boolean,
});
export type Order = Decoded<typeof order>;

const step = object({ text: string, from: nullable(string), to: nullable(string), state: oneOf('done', 'open', 'unseen') });
/** A position that is put up again. */
const putUp = object({
  act: number,
  board: boardId,
  /** As it is to stand. */
  fen: string,
  turn: side,
  state: oneOf('waiting', 'stands'),
  is_sensed: boolean,
  steps: list(step),
  /** Squares that read otherwise. */
  otherwise: list(string),
  /** Where the piece stands that was touched. */
  touched: nullable(string),
  gives: nullable(object({ seat, seconds: number })),
  /** What the clock showed when it was ruled. */
  clocks_ms: nullable(pair(number)),
});
export type PutUp = Decoded<typeof putUp>;

/** As it came: it is sent back as it is. */
const clockForm = object({ clock: string, white_ms: number, black_ms: number });

const choice = object({
  pairing: number,
  section: string,
  round: number,
  table: string,
  names: pair(string),
  result: nullable(string),
});
export type PairingChoice = Decoded<typeof choice>;

/** Decisive moments of both teams on one time axis; `first` is null where it is too close to call. */
const photoFinish = object({
  moments: list(object({ what: string, seat, team, from_us: number, until_us: number })),
  first: nullable(team),
  says: string,
  because: list(object({ rule: string, text: string })),
});
export type PhotoFinish = Decoded<typeof photoFinish>;

/** Offset of board B's clock against board A's, with its interval and the error that the nodes state, microseconds. */
const zeroTest = object({
  act: number,
  pairs: number,
  middle_us: number,
  low_us: number,
  high_us: number,
  stated_us: number,
  finding: oneOf('agree', 'differ', 'unclear'),
});
export type ZeroTestResult = Decoded<typeof zeroTest>;

export const directorMatch = object({
  shown: matchSnapshot,
  version: number,
  is_over: boolean,
  /** Whether it is the match at its table. */
  is_at_table: otherwise(boolean, true),
  pairing: nullable(number),
  /** How it is known whose match it is, and whose it could be. */
  belongs: otherwise(object({ bound: string, choices: list(choice) }), { bound: 'expected', choices: [] }),
  /** Its confirmed result in words, which another one would replace. */
  confirmed: otherwise(nullable(string), null),
  players: object({ A: names, B: names }),
  alerts: list(alert),
  illegal: list(object({ ply: number, reason: string })),
  claims: list(claim),
  kinds: list(object({ kind: string, about: string, rule: nullable(string) })),
  offences: list(object({ offence: string, about: string, rule: nullable(string), next: list(object({ whom: seat, count: number, gives: string })) })),
  proposal: nullable(object({ winner: nullable(team), reason: string, text: string, rule: nullable(string), confidence: number })),
  photo_finish: otherwise(nullable(photoFinish), null),
  zero_tests: otherwise(list(zeroTest), []),
  result: nullable(
    object({ act: number, winner: nullable(team), reason: string, text: string, signed: pair(boolean), is_confirmed: boolean, is_final: boolean }),
  ),
  ledger: list(line),
  /** What each clock gives for each move by now. */
  per_move: object({ A: perMove, B: perMove }),
  orders: list(order),
  proposed_orders: list(object({ because: number, board: boardId, form: clockForm, what: string })),
  questions: list(question),
  clips: list(object({ act: number, from_us: number, to_us: number })),
  put_ups: otherwise(list(putUp), []),
});
export type DirectorMatch = Decoded<typeof directorMatch>;

const reportLine = object({
  match: string,
  table: string,
  section: nullable(string),
  round: nullable(number),
  /** Sides and players of the match, as far as they are known. */
  who: list(string),
  at_ms: number,
  act: number,
  person: string,
  role: string,
  text: string,
  note: nullable(string),
  rules: list(string),
  /** The act that this one takes the place of, or takes back. */
  supersedes: nullable(number),
  kind: string,
});
export type ReportLine = Decoded<typeof reportLine>;
export const report = object({ lines: list(reportLine) });

export const rulebook = object({ book: string, title: string, clauses: list(object({ number: string, text: string, cite: string })) });

const player = object({
  player: number,
  name: string,
  /** How the family has the child named in public: `name`, `first-name`, `number`. */
  consent: otherwise(nullable(string), null),
  /** Whether a link of the family is out. */
  is_followed: otherwise(boolean, false),
});
const entrant = object({ number, name: string, team: otherwise(nullable(number), null), players: otherwise(list(player), []), withdrawn_from: nullable(number) });
const pairing = object({
  pairing: number,
  round: number,
  table: string,
  sides: pair(list(number)),
  names: pair(string),
  seats: list(number),
  /** Whether those are as the list of pairings has them. */
  seats_as_paired: otherwise(boolean, false),
  running: boolean,
  result: nullable(string),
  confirmed: boolean,
  /** Whether the result comes from paper or a file. */
  on_paper: otherwise(boolean, false),
  matches: otherwise(list(string), []),
});
const bye = object({ number, round: number, bye: string });
/** What a director should look at in the round that was opened last; which fields there are depends on the kind. */
const finding = object({
  finding: oneOf('unpaired', 'rematch', 'colour', 'shared-table'),
  number: otherwise(nullable(number), null),
  pairing: otherwise(nullable(number), null),
  met: otherwise(nullable(number), null),
  color: otherwise(nullable(string), null),
  in_a_row: otherwise(nullable(number), null),
  surplus: otherwise(nullable(number), null),
  section: otherwise(nullable(string), null),
});
export type Finding = Decoded<typeof finding>;
/** As it came: what is changed of it is sent back with the rest. */
const terms = (value: unknown, place: string): Readonly<Record<string, unknown>> & { readonly tie_breaks: readonly string[] } => ({
  ...(value as Record<string, unknown>),
  ...object({ tie_breaks: list(string) })(value, place),
});
const section = object({
  section: string,
  game: oneOf('teams', 'rotating-partners', 'players'),
  rulebook: string,
  rounds: number,
  opened: number,
  games_per_round: number,
  entrants: list(entrant),
  pairings: list(pairing),
  byes: otherwise(list(bye), []),
  terms: nullable(terms),
  findings: otherwise(list(finding), []),
});
export const eventSheet = object({ name: string, tables: list(string), linked_tables: otherwise(list(string), []), heard: otherwise(list(string), []), sections: list(section) });
export type EventSheet = Decoded<typeof eventSheet>;
export type SectionSheet = Decoded<typeof section>;
export type PairingSheet = Decoded<typeof pairing>;

export const TREATMENTS = ['alert', 'list', 'log', 'off'] as const;
const treatment = oneOf(...TREATMENTS);
/** Treatment of each kind of finding, and its rate of false alarms. */
export const findingLines = list(
  object({ code: string, about: string, cost: string, treatment, sections: (value: unknown) => value as Readonly<Record<string, (typeof TREATMENTS)[number]>> }),
);
export type FindingLine = Decoded<typeof findingLines>[number];

export const problem = object({ line: nullable(number), column: nullable(string), what: string, todo: string, severity: string });
/** Which header stands over what, by field. */
const mapping = object({ columns: (value: unknown) => value as Columns });
const change = object({ line: nullable(number), what: string, is_taken: boolean, todo: nullable(string) });
const part = object({ kind: string, title: string, is_new: boolean, lines: list(string), left_off: number });
export const preview = object({
  sound: boolean,
  acts: number,
  digest: string,
  problems: list(problem),
  header: otherwise(list(string), []),
  mapping: nullable(mapping),
  changes: otherwise(list(change), []),
  outlook: otherwise(object({ parts: list(part) }), { parts: [] }),
});
export type Preview = Decoded<typeof preview>;

/** Readiness of a phone: a page is open, and it sounds when it is called. */
const ready = object({ is_connected: boolean, sounds: boolean });
const device = object({ device: number, person: string, rank, scope, label: string, paired_ms: number, until_ms: number, works: boolean, ready: otherwise(nullable(ready), null) });
export type Device = Decoded<typeof device>;
export const staff = object({
  devices: list(device),
  invitations: list(object({ invitation: number, person: string, rank, until_ms: number })),
});
export const invitation = object({ path: string, pin: string, until_ms: number, code: nullable(string) });

const cell = object({ round: number, kind: string, opponent: nullable(number), game_points: nullable(number), provisional: boolean });
const chart = object({ rows: list(object({ number, shown_number: number, name: string, score: number, cells: list(cell) })) });
const term = object({
  round: nullable(number),
  amount: number,
  discarded: nullable(string),
  source: object({ kind: string, opponent: nullable(number) }),
});
const explanation = object({ tie_break: string, value: nullable(number), terms: list(term) });
export const standingsSheet = object({
  section: string,
  standings: object({
    after_round: number,
    order: list(string),
    provisional: boolean,
    rows: list(
      object({
        rank: number,
        number,
        name: string,
        players: list(string),
        score: number,
        tie_breaks: list(nullable(number)),
        provisional: boolean,
      }),
    ),
  }),
  clubs: nullable(
    object({ rows: list(object({ rank: nullable(number), number, name: string, counting: list(number), score: number })) }),
  ),
  crosstable: chart,
  wall_chart: chart,
  explanations: list(list(nullable(explanation))),
});
export type StandingsSheet = Decoded<typeof standingsSheet>;
export type Chart = Decoded<typeof chart>;
export type Explanation = Decoded<typeof explanation>;

/** The stream is up; who else looks at the match. */
export const tdBeat = object({ now_ms: number, others: otherwise(list(string), []) });
