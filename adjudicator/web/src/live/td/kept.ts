/** What the directors' pages heard last: another page shows it at once, and all there is where the network is away. */
import type { DirectorMatch, Need } from '../../model/td/wire';

/** Tables whose match is kept: a whole hall's. */
const TABLES_MAX = 64;

let person = '';
let needs: readonly Need[] = [];
let heard_ms = Date.now();
const matches = new Map<string, DirectorMatch>();

export const kept = {
  /** The name under which this device was let in. */
  person: (): string => person,
  needs: (): readonly Need[] => needs,
  /** When anything was heard, this device's time. */
  heard_ms: (): number => heard_ms,
  ofTable: (table: string): DirectorMatch | null => matches.get(table) ?? null,
};

export function keepPerson(name: string): void {
  person = name;
}

export function keepNeeds(heard: readonly Need[]): void {
  needs = heard;
}

export function keepHeard(at_ms: number): void {
  heard_ms = at_ms;
}

export function keepMatch(match: DirectorMatch): void {
  // Under its table's name only the match that is there is found.
  if (!match.is_at_table) return;
  const { table } = match.shown.table;
  matches.delete(table);
  const [oldest] = matches.keys();
  if (matches.size >= TABLES_MAX && oldest !== undefined) matches.delete(oldest);
  matches.set(table, match);
}
