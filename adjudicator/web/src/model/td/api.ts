/** Decoders of the API, written by `node decoders.mjs` from the server's description. Not to be changed by hand. */
import { match, players } from '../api';
import { type Decoded, boolean, either, list, nullable, number, object, oneOf, otherwise, pair, record, string, where } from '../decode';
import * as formats from '../formats';

/** Time that a player gets for each move. */
export const perMove = object({ increment_s: otherwise(number, 0), delay_s: otherwise(number, 0), delay: nullable(oneOf('us', 'bronstein')) });
export type PerMove = Decoded<typeof perMove>;

/** Lowest first. */
export const rank = oneOf('scorekeeper', 'floor', 'section-chief', 'chief');
export type Rank = Decoded<typeof rank>;

export const seat = oneOf('white-a', 'black-a', 'white-b', 'black-b');
export type Seat = Decoded<typeof seat>;

export const team = oneOf('team-1', 'team-2');
export type Team = Decoded<typeof team>;

/** Tables of a person: all of them where both lists are empty. */
export const scope = object({ sections: otherwise(list(string), []), tables: otherwise(list(string), []) });
export type Scope = Decoded<typeof scope>;

export const me = object({ device: number, person: string, rank, scope, until_ms: number });
export type Me = Decoded<typeof me>;

/** Readiness of a phone: a page is open, and it sounds when it is called. */
export const ready = object({ is_connected: boolean, sounds: boolean });
export type Ready = Decoded<typeof ready>;

export const device = object({ device: number, person: string, rank, scope, label: string, paired_ms: number, until_ms: number, works: boolean, ready: nullable(ready) });
export type Device = Decoded<typeof device>;

/** The key is sent with each later request in x-twinboard-key, beside the cookie. */
export const paired = object({ key: string, me: device });
export type Paired = Decoded<typeof paired>;

export const openInvitation = object({ invitation: number, person: string, rank, scope, until_ms: number });
export type OpenInvitation = Decoded<typeof openInvitation>;

export const staff = object({ devices: list(device), invitations: list(openInvitation) });
export type Staff = Decoded<typeof staff>;

export const invitation = object({ path: string, pin: string, until_ms: number, code: nullable(string) });
export type Invitation = Decoded<typeof invitation>;

/** An act that was done. */
export const taken = object({ answer: oneOf('taken'), act: number });
export type Taken = Decoded<typeof taken>;

export const takenBy = object({ person: string, rank, device: number, at_ms: number, is_dismissed: boolean });
export type TakenBy = Decoded<typeof takenBy>;

/** An item of the list. */
export const need = object({
  id: string,
  urgency: oneOf('claim', 'call', 'clock', 'put-up', 'stopped', 'result', 'sensors', 'silent', 'evidence', 'notice'),
  table: string,
  label: string,
  section: nullable(string),
  round: nullable(number),
  pairing: nullable(number),
  match: nullable(string),
  board: nullable(oneOf('A', 'B')),
  what: string,
  detail: string,
  rule: nullable(string),
  about: nullable(string),
  ply: nullable(number),
  confidence: nullable(number),
  silent: boolean,
  since_ms: number,
  taken: nullable(takenBy),
  level: rank,
  is_earlier: otherwise(boolean, false),
});
export type Need = Decoded<typeof need>;

export const needs = object({ now_ms: number, needs: list(need) });
export type Needs = Decoded<typeof needs>;

export const directorsBeat = object({ now_ms: number, others: otherwise(list(string), []) });
export type DirectorsBeat = Decoded<typeof directorsBeat>;

export const clause = object({ rule: string, text: string });
export type Clause = Decoded<typeof clause>;

export const verdict = object({
  against: nullable(number),
  timing: string,
  points: nullable(string),
  because: list(clause),
  says: string,
  if_upheld: nullable(string),
  if_denied: nullable(string),
  if_play_on: nullable(string),
});
export type Verdict = Decoded<typeof verdict>;

/** Plies between which a person decides. */
export const question = object({ ply: number, candidates: list(object({ uci: string, p: where(number, ...formats.probability) })) });
export type Question = Decoded<typeof question>;

export const claim = object({
  act: number,
  kind: string,
  about: string,
  by: seat,
  stopped_us: number,
  state: string,
  verdict,
  ruling: nullable(number),
  appeal: nullable(number),
  since: nullable(verdict),
  look_at: nullable(question),
});
export type Claim = Decoded<typeof claim>;

export const alert = object({
  id: string,
  revision: number,
  code: string,
  rule: nullable(string),
  further: list(string),
  board: oneOf('A', 'B'),
  side: nullable(oneOf('white', 'black')),
  ply: nullable(number),
  t_us: number,
  confidence: where(number, ...formats.probability),
  claim: string,
  silent: boolean,
  evidence: string,
  retracted: boolean,
});
export type Alert = Decoded<typeof alert>;

export const ledgerLine = object({
  number,
  act: number,
  person: string,
  role: string,
  at_ms: number,
  text: string,
  note: nullable(string),
  rules: list(string),
  supersedes: nullable(number),
  kind: string,
});
export type LedgerLine = Decoded<typeof ledgerLine>;

export const reportLine = object({
  match: string,
  table: string,
  section: nullable(string),
  round: nullable(number),
  who: list(string),
  number,
  act: number,
  person: string,
  role: string,
  at_ms: number,
  text: string,
  note: nullable(string),
  rules: list(string),
  supersedes: nullable(number),
  kind: string,
});
export type ReportLine = Decoded<typeof reportLine>;

export const report = object({ lines: list(reportLine) });
export type Report = Decoded<typeof report>;

/** A command to a hub. */
export const order = object({
  act: number,
  person: string,
  at_ms: number,
  what: string,
  board: nullable(oneOf('A', 'B')),
  state: oneOf('sent', 'taken', 'done', 'by-hand', 'shown', 'refused', 'unknown', 'late', 'contradicted', 'withdrawn'),
  detail: string,
  unseen: boolean,
});
export type Order = Decoded<typeof order>;

export const step = object({ text: string, from: nullable(string), to: nullable(string), state: oneOf('done', 'open', 'unseen') });
export type Step = Decoded<typeof step>;

/** A position that is put up again. */
export const putUp = object({
  act: number,
  board: oneOf('A', 'B'),
  fen: string,
  turn: oneOf('white', 'black'),
  state: oneOf('waiting', 'stands'),
  is_sensed: boolean,
  steps: list(step),
  otherwise: list(string),
  touched: nullable(string),
  gives: nullable(object({ seat, seconds: number })),
  clocks_ms: nullable(pair(number)),
});
export type PutUp = Decoded<typeof putUp>;

export const pairingChoice = object({ pairing: number, section: string, round: number, table: string, names: pair(string), result: nullable(string) });
export type PairingChoice = Decoded<typeof pairingChoice>;

/** Decisive moments of both teams on one time axis; `first` is null where it is too close to call. */
export const photoFinish = object({
  moments: list(object({ what: string, seat, team, from_us: number, until_us: number })),
  first: nullable(team),
  says: string,
  because: list(clause),
});
export type PhotoFinish = Decoded<typeof photoFinish>;

/** Offset of board B's clock against board A's, with its interval and the error that the nodes state, microseconds. */
export const zeroTest = object({
  act: number,
  pairs: number,
  middle_us: number,
  low_us: number,
  high_us: number,
  stated_us: number,
  finding: oneOf('agree', 'differ', 'unclear'),
});
export type ZeroTest = Decoded<typeof zeroTest>;

/** A match with its evidence. */
export const directorMatch = object({
  evidence_hidden: boolean,
  shown: match,
  version: number,
  now_us: number,
  is_over: boolean,
  is_at_table: otherwise(boolean, true),
  td_calls: boolean,
  pairing: nullable(number),
  belongs: object({ bound: string, choices: list(pairingChoice) }),
  confirmed: nullable(string),
  players: object({ A: players, B: players }),
  alerts: list(alert),
  illegal: list(object({ ply: number, reason: string })),
  claims: list(claim),
  kinds: list(object({ kind: string, about: string, rule: nullable(string) })),
  offences: list(object({ offence: string, about: string, rule: nullable(string), next: list(object({ whom: seat, count: number, gives: string })) })),
  proposal: nullable(object({
    winner: nullable(team),
    reason: string,
    text: string,
    rule: nullable(string),
    confidence: where(number, ...formats.probability),
    settled: boolean,
  })),
  photo_finish: nullable(photoFinish),
  zero_tests: otherwise(list(zeroTest), []),
  result: nullable(object({ act: number, winner: nullable(team), reason: string, text: string, signed: pair(boolean), is_confirmed: boolean, is_final: boolean })),
  ledger: list(ledgerLine),
  per_move: object({ A: perMove, B: perMove }),
  orders: list(order),
  proposed_orders: list(object({ because: number, board: oneOf('A', 'B'), form: object({ clock: oneOf('adjust'), white_ms: number, black_ms: number }), what: string })),
  questions: list(question),
  clips: list(object({ act: number, from_us: number, to_us: number })),
  put_ups: otherwise(list(putUp), []),
});
export type DirectorMatch = Decoded<typeof directorMatch>;

/** A line of a trace. The fields depend on the kind. */
export const reading = object({
  t_us: number,
  board: nullable(oneOf('A', 'B')),
  kind: oneOf('snapshot', 'square', 'press', 'clock', 'tray', 'tilt', 'hand', 'gap', 'end'),
  occupied: nullable(string),
  squares: nullable(list(either(string, number))),
  square: nullable(string),
  reading: nullable(either(string, number)),
  level: nullable(number),
  by: nullable(oneOf('white', 'black')),
  white_ms: nullable(number),
  black_ms: nullable(number),
  running: nullable(oneOf('white', 'black')),
  side: nullable(oneOf('white', 'black')),
  slot: nullable(number),
  on: nullable(boolean),
  near: nullable(boolean),
  from: nullable(oneOf('board', 'away')),
  lost: nullable(number),
});
export type Reading = Decoded<typeof reading>;

/** Readings of a part of a match. */
export const clip = object({ from_us: number, to_us: number, lines: list(reading) });
export type Clip = Decoded<typeof clip>;

/** Clauses in our words. */
export const rulebook = object({ book: string, title: string, clauses: list(object({ number: string, text: string, cite: string })) });
export type Rulebook = Decoded<typeof rulebook>;

export const treatment = oneOf('alert', 'list', 'log', 'off');
export type Treatment = Decoded<typeof treatment>;

/** Treatment of a kind of finding, and its rate of false alarms. */
export const findingLine = object({ code: string, about: string, cost: string, treatment, sections: record(treatment) });
export type FindingLine = Decoded<typeof findingLine>;

export const findingLines = list(findingLine);
export type FindingLines = Decoded<typeof findingLines>;

export const fileProblem = object({ line: nullable(number), column: nullable(string), what: string, todo: string, severity: oneOf('warning', 'error') });
export type FileProblem = Decoded<typeof fileProblem>;

/** A column by its header or its place from 1, several that are joined, or the same text in every row. */
export const source = either(string, number, list(either(string, number)), object({ value: string }));
export type Source = Decoded<typeof source>;

/** Which header is over which field. */
export const mapping = object({ columns: record(source) });
export type Mapping = Decoded<typeof mapping>;

/** What a file would change. */
export const preview = object({
  error: nullable(string),
  sound: boolean,
  acts: number,
  digest: string,
  encoding: nullable(string),
  delimiter: nullable(string),
  header: otherwise(list(string), []),
  mapping: nullable(mapping),
  problems: list(fileProblem),
  changes: otherwise(list(object({ line: nullable(number), what: string, is_taken: boolean, todo: nullable(string) })), []),
  outlook: object({
    parts: list(object({ kind: oneOf('tables', 'section', 'round'), title: string, is_new: boolean, lines: list(string), left_off: number })),
  }),
});
export type Preview = Decoded<typeof preview>;

export const hubNode = object({
  node: string,
  kind: oneOf('board', 'clock'),
  is_present: boolean,
  table: nullable(string),
  board: nullable(oneOf('A', 'B')),
  by_file: boolean,
  firmware: string,
  image: string,
  is_outdated: boolean,
});
export type HubNode = Decoded<typeof hubNode>;

export const hubLine = object({ hub: string, is_online: boolean, is_waited_for: boolean, refused: string, guessed_table: nullable(string), nodes: list(hubNode) });
export type HubLine = Decoded<typeof hubLine>;

export const askingHub = object({ hub: string, machine: string, address: string, since_ms: number });
export type AskingHub = Decoded<typeof askingHub>;

export const hubList = object({ accepts: boolean, asking: list(askingHub), free_tables: list(string), sections: list(string), swapped: list(string), hubs: list(hubLine) });
export type HubList = Decoded<typeof hubList>;

export const acceptedHub = object({ hub: string });
export type AcceptedHub = Decoded<typeof acceptedHub>;
