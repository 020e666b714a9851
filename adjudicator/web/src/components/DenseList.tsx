/** The round as a list: a line a table, for fifty of them on a phone. */
import { clocksRun, tableState } from '../model/tablestate';
import { labelOf } from '../model/names';
import { type Table, sensedBoards } from '../model/wire';
import { Clock } from './Clock';
import { memo } from './memo';
import { Opponents } from './Opponents';
import { StateMark } from './StateMark';

export function DenseList({ tables }: { readonly tables: readonly Table[] }) {
  return (
    <main class="dense" data-testid="dense" data-tables={tables.length}>
      {tables.map((table) => (
        <Line key={table.table} table={table} />
      ))}
    </main>
  );
}

const Line = memo(function Line({ table }: { readonly table: Table }) {
  const state = tableState(table);
  const until_ms = table.sensors === 'lost' ? table.stale_since_ms : null;
  return (
    <a class="dense-line" href={`/table/${encodeURIComponent(table.table)}`} data-table={table.table} data-state={state.kind} data-over={String(state.over ?? false)}>
      <span class="dense-number">{table.table}</span>
      <Opponents table={table} otherwise={labelOf(table)} />
      <StateMark state={state} />
      <span class="dense-clocks">
        {sensedBoards(table).flatMap((board) =>
          (['white', 'black'] as const).map((side) => (
            <Clock key={board + side} board={board} side={side} reading={table.boards[board]?.clock ?? null} counts={clocksRun(table)} until_ms={until_ms} />
          )),
        )}
      </span>
    </a>
  );
});
