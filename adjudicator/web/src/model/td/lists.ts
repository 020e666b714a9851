/** Contents of an organiser's lists: the columns of each, and a first line for typed input. */
import { t } from '../../language/td';

export interface ListKind {
  readonly kind: string;
  readonly words: string;
  /** Columns by their names at the server; the first `needed` of them must be there. */
  readonly fields: readonly string[];
  readonly needed: number;
  /** Header of typed input; null where a list cannot be typed. */
  readonly typed: string | null;
}

const TEAMS = ['team', 'player', 'partner', 'section', 'number', 'club'];
const PLAYERS = ['player', 'section', 'number', 'club', 'id'];
const PAIRINGS = ['round', 'first', 'second', 'section', 'table', 'board', 'result', 'second-result', 'white-a', 'black-a', 'white-b', 'black-b'];
const RESULTS = ['round', 'result', 'section', 'table', 'board', 'second-result', 'first', 'second'];

export const LISTS: readonly ListKind[] = [
  { kind: 'teams', words: t('Teams (CSV, TSV)'), fields: TEAMS, needed: 3, typed: 'Section,Team,Player 1,Player 2' },
  { kind: 'players', words: t('Players (CSV, TSV)'), fields: PLAYERS, needed: 1, typed: 'Section,Player,Club' },
  { kind: 'pairings', words: t('Pairings (CSV, TSV)'), fields: PAIRINGS, needed: 3, typed: 'Section,Round,Table,First,Second' },
  { kind: 'results', words: t('Results (CSV, TSV)'), fields: RESULTS, needed: 2, typed: 'Section,Round,Table,Result' },
  { kind: 'wintd', words: t('WinTD tournament'), fields: [], needed: 0, typed: null },
  { kind: 'trf', words: t('TRF16 report'), fields: [], needed: 0, typed: null },
  { kind: 'deeds', words: t('Event file of Twinboard'), fields: [], needed: 0, typed: null },
];

/** A column by its header, or by its place from 1. */
type Column = string | number;
/** A column, several that are joined, or the same text in every row. An empty header has yet to be chosen. */
export type Source = Column | readonly Column[] | { readonly value: string };
export type Columns = Readonly<Record<string, Source>>;

/** Checks whether a field has a source. */
export const isChosen = (source: Source | undefined): boolean => source !== undefined && source !== '';

/** A source as a form has it: columns by header where that names one alone, else by place. */
export function sourceKey(source: Source | undefined, header: readonly string[]): string {
  if (source === undefined || source === '') return '';
  if (typeof source === 'string') {
    const place = header.findIndex((name) => plain(name) === plain(source));
    return place < 0 ? '' : String(place + 1);
  }
  return typeof source === 'number' ? String(source) : JSON.stringify(source);
}

/** Source of a form's field. */
export function keySource(key: string, header: readonly string[]): Source {
  if (key.startsWith('[') || key.startsWith('{')) return JSON.parse(key) as Source;
  const place = Number(key);
  const name = header[place - 1] ?? '';
  return header.findIndex((one) => plain(one) === plain(name)) === place - 1 && name !== '' ? name : place;
}

/** Name of a source with more than one column. */
export function sourceWords(source: Source): string {
  if (Array.isArray(source)) return source.join(' + ');
  return typeof source === 'object' && 'value' in source ? t('always {value}', { value: source.value }) : String(source);
}

const plain = (name: string) => name.trim().replace(/\s+/g, ' ').toLowerCase();

/** A mapping that was kept fits a file if the file has every one of its columns. */
export function fits(kept: Columns | null, header: readonly string[]): kept is Columns {
  const there = new Set(header.map(plain));
  const has = (column: Column) => (typeof column === 'number' ? column <= header.length : there.has(plain(column)));
  const fitting = (source: Source) => {
    if (typeof source === 'object') return 'value' in source || source.every(has);
    return has(source);
  };
  return kept !== null && Object.keys(kept).length > 0 && Object.values(kept).every(fitting);
}
