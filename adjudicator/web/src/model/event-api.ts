/** Decoders of the API, written by `node decoders.mjs` from the server's description. Not to be changed by hand. */
import { timeControl } from './api';
import { type Decoded, boolean, either, list, nullable, number, object, oneOf, otherwise, pair, string } from './decode';

export const tieBreak = oneOf('modified-median', 'solkoff', 'cumulative', 'cumulative-of-opposition', 'median', 'sonneborn-berger', 'game-match-points', 'us-amateur-team', 'coin-toss', 'buchholz', 'buchholz-cut1', 'buchholz-cut2', 'buchholz-median1', 'buchholz-median2', 'fide-sonneborn-berger', 'direct-encounter', 'koya', 'progressive', 'progressive-cut1', 'wins', 'games-won', 'games-with-black', 'wins-with-black', 'rounds-elected-to-play', 'average-rating', 'average-rating-cut1', 'kashdan');
export type TieBreak = Decoded<typeof tieBreak>;

/** Announcements of a section. */
export const terms = object({
  game: oneOf('teams', 'rotating-partners', 'players'),
  rulebook: string,
  time: nullable(timeControl),
  td_calls: otherwise(boolean, false),
  rounds: number,
  games_per_round: otherwise(number, 1),
  scoring: otherwise(oneOf('game-points', 'match-points'), 'game-points'),
  tie_breaks: list(tieBreak),
});
export type Terms = Decoded<typeof terms>;

export const player = object({ player: number, name: string, consent: nullable(oneOf('name', 'first-name', 'number')), is_followed: otherwise(boolean, false) });
export type Player = Decoded<typeof player>;

export const entrant = object({ number, name: string, team: nullable(number), players: otherwise(list(player), []), withdrawn_from: nullable(number) });
export type Entrant = Decoded<typeof entrant>;

export const pairing = object({
  pairing: number,
  round: number,
  table: string,
  board: nullable(number),
  sides: pair(list(number)),
  names: pair(string),
  seats: list(number),
  seats_as_paired: otherwise(boolean, false),
  running: boolean,
  result: nullable(string),
  confirmed: boolean,
  on_paper: otherwise(boolean, false),
  matches: otherwise(list(string), []),
});
export type Pairing = Decoded<typeof pairing>;

export const bye = object({ number, round: number, bye: oneOf('full-point', 'half-point', 'zero-point') });
export type Bye = Decoded<typeof bye>;

/** A check of the round that was opened last. The fields depend on the kind. */
export const roundFinding = object({
  finding: oneOf('unpaired', 'rematch', 'colour', 'shared-table'),
  number: nullable(number),
  pairing: nullable(number),
  met: nullable(number),
  color: nullable(oneOf('white', 'black')),
  in_a_row: nullable(number),
  surplus: nullable(number),
  section: nullable(string),
});
export type RoundFinding = Decoded<typeof roundFinding>;

export const section = object({
  section: string,
  game: oneOf('teams', 'rotating-partners', 'players'),
  rulebook: string,
  rounds: number,
  opened: number,
  games_per_round: number,
  terms: nullable(terms),
  entrants: list(entrant),
  pairings: list(pairing),
  byes: otherwise(list(bye), []),
  findings: otherwise(list(roundFinding), []),
});
export type Section = Decoded<typeof section>;

export const event = object({
  name: string,
  tables: list(string),
  linked_tables: otherwise(list(string), []),
  heard: otherwise(list(string), []),
  sections: list(section),
});
export type Event = Decoded<typeof event>;

export const standingsRow = object({
  rank: number,
  score_rank: number,
  number,
  name: string,
  players: list(string),
  score: number,
  tie_breaks: list(nullable(number)),
  separated_by: nullable(either(oneOf('score'), object({ 'tie-break': tieBreak }))),
  coin_toss: oneOf('not-needed', 'needed', 'held'),
  provisional: boolean,
});
export type StandingsRow = Decoded<typeof standingsRow>;

export const standingsTable = object({ after_round: number, order: list(string), provisional: boolean, rows: list(standingsRow) });
export type StandingsTable = Decoded<typeof standingsTable>;

export const clubStandings = object({
  after_round: number,
  order: list(string),
  provisional: boolean,
  rows: list(object({
    rank: nullable(number),
    score_rank: nullable(number),
    number,
    name: string,
    counting: list(number),
    score: number,
    tie_breaks: list(nullable(number)),
    separated_by: nullable(either(oneOf('score'), object({ 'tie-break': tieBreak }))),
    coin_toss: oneOf('not-needed', 'needed', 'held'),
  })),
});
export type ClubStandings = Decoded<typeof clubStandings>;

export const chart = object({
  after_round: number,
  rows: list(object({
    shown_number: number,
    number,
    name: string,
    cells: list(object({
      round: number,
      kind: string,
      opponent: nullable(number),
      game_points: nullable(number),
      had_white: nullable(boolean),
      running_score: number,
      provisional: boolean,
    })),
    score: number,
  })),
});
export type Chart = Decoded<typeof chart>;

/** The fields depend on the kind. */
export const termSource = object({
  kind: oneOf('opponent', 'own-unplayed-round', 'dummy-opponent', 'running-score', 'points-without-play', 'opponent-cumulative', 'points-times-score', 'round-points', 'player'),
  opponent: nullable(number),
  score: nullable(number),
  unplayed_rounds: nullable(number),
  result: nullable(string),
  points: nullable(number),
  player: nullable(number),
});
export type TermSource = Decoded<typeof termSource>;

export const term = object({ round: nullable(number), source: termSource, amount: number, discarded: nullable(oneOf('lowest', 'highest')) });
export type Term = Decoded<typeof term>;

export const explanation = object({ tie_break: string, value: nullable(number), terms: list(term), score_class: nullable(oneOf('plus', 'even', 'minus')), provisional: boolean });
export type Explanation = Decoded<typeof explanation>;

export const standings = object({
  section: string,
  standings: standingsTable,
  clubs: nullable(clubStandings),
  crosstable: chart,
  wall_chart: chart,
  explanations: list(list(nullable(explanation))),
});
export type Standings = Decoded<typeof standings>;
