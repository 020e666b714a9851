/** Last content of the directors' pages: another page shows it at once, and without a network it is all there is. */
import type { DirectorMatch, Need } from '../../model/td/wire';

/** Tables whose match is kept: a whole hall's. */
const TABLES_MAX = 64;

let person = '';
let needs: readonly Need[] = [];
let heard_ms = Date.now();
const matches = new Map<string, DirectorMatch>();

export const kept = {
  /** Name under which this device was paired. */
  person: (): string => person,
  needs: (): readonly Need[] => needs,
  /** Time of the last message by this device's clock. */
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
  // A table's name leads to its current match only.
  if (!match.is_at_table) return;
  const { table } = match.shown.table;
  matches.delete(table);
  const [oldest] = matches.keys();
  if (matches.size >= TABLES_MAX && oldest !== undefined) matches.delete(oldest);
  matches.set(table, match);
}
