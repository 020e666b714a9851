/** One table of the overview: number, teams, state, two small boards, four clocks. */
import { clocksRun, isOver, tableState } from '../model/tablestate';
import { type BoardId, type Side, type Table, opposite } from '../model/wire';
import { Clock } from './Clock';
import { memo } from './memo';
import { MiniBoard } from './MiniBoard';
import { Reserve } from './Reserve';
import { StateMark } from './StateMark';

export const TableTile = memo(function TableTile({ table }: { readonly table: Table }) {
  const state = tableState(table);
  return (
    <a class="tile" href={`/table/${encodeURIComponent(table.table)}`} data-table={table.table} data-state={state.kind} data-over={String(state.over ?? false)}>
      <div class="tile-head">
        <span class="tile-number">{table.label}</span>
        <span class="tile-teams">{table.teams.join(' – ')}</span>
        <StateMark state={state} />
      </div>
      <div class="tile-boards">
        <TileBoard board="A" table={table} />
        <TileBoard board="B" table={table} />
      </div>
    </a>
  );
});

function TileBoard({ board, table }: { readonly board: BoardId; readonly table: Table }) {
  const now = table.boards[board];
  const bottom: Side = board === 'A' ? 'white' : 'black';
  const strip = (side: Side) => (
    <div class="tile-strip" data-turn={String(now.turn === side && !isOver(table))}>
      <Clock
        board={board}
        side={side}
        reading={now.clock}
        counts={clocksRun(table)}
        until_ms={table.sensors === 'lost' ? table.stale_since_ms : null}
      />
      <Reserve board={board} side={side} pieces={now.reserves[side]} />
    </div>
  );
  return (
    <div class="tile-board">
      {strip(opposite(bottom))}
      <MiniBoard board={board} now={now} />
      {strip(bottom)}
    </div>
  );
}
