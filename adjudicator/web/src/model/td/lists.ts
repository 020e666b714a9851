/** What an organiser's lists may hold: which columns each has, and a first line for what is typed in. */

export interface ListKind {
  readonly kind: string;
  readonly words: string;
  /** Columns by their names at the server; the first `needed` of them must be there. */
  readonly fields: readonly string[];
  readonly needed: number;
  /** The header of what is typed in; null where it cannot be typed. */
  readonly typed: string | null;
}

const TEAMS = ['team', 'player', 'partner', 'section', 'number', 'club'];
const PLAYERS = ['player', 'section', 'number', 'club'];
const PAIRINGS = ['round', 'first', 'second', 'section', 'table', 'board', 'result', 'white-a', 'black-a', 'white-b', 'black-b'];
const RESULTS = ['round', 'result', 'section', 'table', 'board'];

export const LISTS: readonly ListKind[] = [
  { kind: 'teams', words: 'Teams (CSV, TSV)', fields: TEAMS, needed: 3, typed: 'Section,Team,Player 1,Player 2' },
  { kind: 'players', words: 'Players (CSV, TSV)', fields: PLAYERS, needed: 1, typed: 'Section,Player,Club' },
  { kind: 'pairings', words: 'Pairings (CSV, TSV)', fields: PAIRINGS, needed: 3, typed: 'Section,Round,Table,First,Second' },
  { kind: 'results', words: 'Results (CSV, TSV)', fields: RESULTS, needed: 2, typed: 'Section,Round,Table,Result' },
  { kind: 'wintd', words: 'WinTD tournament', fields: [], needed: 0, typed: null },
  { kind: 'trf', words: 'TRF16 report', fields: [], needed: 0, typed: null },
];

export type Columns = Readonly<Record<string, string>>;

/** A mapping that was kept fits a file if the file has every one of its columns. */
export function fits(kept: Columns | null, header: readonly string[]): kept is Columns {
  const plain = (name: string) => name.trim().replace(/\s+/g, ' ').toLowerCase();
  const there = new Set(header.map(plain));
  return kept !== null && Object.keys(kept).length > 0 && Object.values(kept).every((name) => there.has(plain(name)));
}
