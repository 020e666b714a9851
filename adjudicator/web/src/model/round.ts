/** The round as the page knows it: all tables, in order, as of some event. */
import { byTable } from './wire';
import type { RoundSnapshot, Table } from './wire';

export interface Round {
  readonly event: { readonly name: string; readonly rulebook: string | null };
  readonly clock_rate: number;
  /** Longest delay of the server's tables; each table has its own. */
  readonly delay_s: number;
  readonly now_ms: number;
  readonly tables: readonly Table[];
  /** Position of the stream after this snapshot; an event carries a whole state, so none is older than the one it replaces. */
  readonly as_of: string;
}

export function roundFromSnapshot(snapshot: RoundSnapshot): Round {
  const { event, clock_rate, delay_s, now_ms, last_event_id } = snapshot;
  return { event, clock_rate, delay_s, now_ms, tables: [...snapshot.tables].sort(byTable), as_of: last_event_id };
}

/** The round after one of its tables has changed, or a new one has come. */
export function roundWithTable(round: Round, table: Table): Round {
  const known = round.tables.some((other) => other.table === table.table);
  const tables = known
    ? round.tables.map((other) => (other.table === table.table ? table : other))
    : [...round.tables, table].sort(byTable);
  return { ...round, tables };
}

/** Over how many seconds what is shown lags behind the boards: the least and the most of the tables. */
export function delays(round: Round | null): readonly [number, number] {
  const of = (round?.tables ?? []).map(({ delay_s }) => delay_s);
  return of.length === 0 ? [round?.delay_s ?? 0, round?.delay_s ?? 0] : [Math.min(...of), Math.max(...of)];
}
