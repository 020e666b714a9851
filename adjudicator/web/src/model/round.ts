/** The round as the page knows it: all tables, in order, as of some event. */
import { byTable } from './tablestate';
import type { RoundSnapshot, Table } from './wire';

export interface Round {
  readonly event: { readonly name: string; readonly rulebook: string | null };
  readonly clock_rate: number;
  /** How long the server holds back what it shows. */
  readonly delay_s: number;
  readonly now_ms: number;
  readonly tables: readonly Table[];
  /** Events up to this one were in the snapshot; later ones are taken in the order they come. */
  readonly as_of: number;
}

export function roundFromSnapshot(snapshot: RoundSnapshot): Round {
  const { event, clock_rate, delay_s, now_ms, last_event_id } = snapshot;
  return { event, clock_rate, delay_s, now_ms, tables: [...snapshot.tables].sort(byTable), as_of: last_event_id };
}

/** The round after one of its tables has changed, or a new one has come. */
export function roundWithTable(round: Round, table: Table, event_id: number): Round {
  if (event_id <= round.as_of) return round;
  const known = round.tables.some((other) => other.table === table.table);
  const tables = known
    ? round.tables.map((other) => (other.table === table.table ? table : other))
    : [...round.tables, table].sort(byTable);
  return { ...round, tables };
}
