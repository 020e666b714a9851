/** The scenes with boards: a match, one board, several tables, how a match ended. */
import { t, tx } from '../../language/language';
import { TileBoard } from '../../components/TileBoard';
import { Opponents } from '../../components/Opponents';
import { StateMark } from '../../components/StateMark';
import { Nothing } from './Nothing';
import { clocksRun, isOver, tableState } from '../../model/tablestate';
import { labelOf, nobodyWords, opponents, resultText, seatLabels, winnerLabel } from '../../model/names';
import { type BoardId, type Table, sensedBoards } from '../../model/wire';

export function MatchScene({ table, caption }: { readonly table: Table; readonly caption: string }) {
  return (
    <section class="scene-match" data-table={table.table} data-boards={sensedBoards(table).length}>
      <Head table={table} />
      <div class="scene-boards">
        {sensedBoards(table).map((board) => (
          <OneBoard key={board} table={table} board={board} named />
        ))}
      </div>
      <p class="scene-caption" data-testid="caption">
        {caption !== '' && `${labelOf(table)}: ${caption}`}
      </p>
    </section>
  );
}

export function BoardScene({ table, board }: { readonly table: Table; readonly board: BoardId }) {
  const shown = sensedBoards(table).includes(board) ? board : sensedBoards(table)[0];
  return (
    <section class="scene-board" data-table={table.table}>
      {shown !== undefined && <OneBoard table={table} board={shown} named />}
    </section>
  );
}

export function MultiScene({ tables }: { readonly tables: readonly Table[] }) {
  if (tables.length === 0) return <Nothing>{t('No table is known yet')}</Nothing>;
  const columns = columnsFor(tables.length);
  const rows = Math.max(1, Math.ceil(tables.length / columns));
  return (
    <section class="scene-multi" data-tables={tables.length} style={{ '--columns': columns, '--rows': rows }}>
      {tables.map((table) => (
        <div key={table.table} class="scene-cell" data-table={table.table}>
          <Head table={table} />
          <div class="scene-boards">
            {sensedBoards(table).map((board) => (
              <OneBoard key={board} table={table} board={board} />
            ))}
          </div>
        </div>
      ))}
    </section>
  );
}

/** A table's two boards are twice as wide as high, as is the screen nearly: as many columns as rows. */
function columnsFor(tables: number): number {
  return tables <= 1 ? 1 : tables <= 4 ? 2 : 3;
}

/** A card once the match is over. */
export function ResultCard({ table }: { readonly table: Table }) {
  if (table.result === null) return <Nothing>{tx('{label}: no result yet', { label: labelOf(table) })}</Nothing>;
  const { reason } = table.result;
  const winner = winnerLabel(table);
  return (
    <section class="scene-card" data-table={table.table} data-testid="result-card">
      <p>{labelOf(table)}{opponents(table) !== '' && ` · ${opponents(table)}`}</p>
      <h1>{winner === '' ? nobodyWords(reason) : t('{winner} wins', { winner })}</h1>
      <p>{resultText(table)}</p>
    </section>
  );
}

function Head({ table }: { readonly table: Table }) {
  return (
    <header class="scene-head">
      <strong>{labelOf(table)}</strong>
      <Opponents table={table} otherwise="" />
      <StateMark state={tableState(table)} />
    </header>
  );
}

function OneBoard({ table, board, named = false }: { readonly table: Table; readonly board: BoardId; readonly named?: boolean }) {
  const now = table.boards[board];
  if (now === null) return null;
  return (
    <TileBoard
      board={board}
      now={now}
      counts={clocksRun(table)}
      until_ms={table.sensors === 'lost' ? table.stale_since_ms : null}
      moving={!isOver(table)}
      seats={named ? seatLabels(table, board) : null}
    />
  );
}
