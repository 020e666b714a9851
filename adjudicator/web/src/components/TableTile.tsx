/** One table of the overview: number, who plays, state, and each board that has sensors with its clocks. */
import { t, tx } from '../language/language';
import { termsWords } from '../model/terms';
import { clocksRun, isOver, tableState } from '../model/tablestate';
import { labelOf, seatLabel } from '../model/names';
import { type Side, type Table, opposite, sensedBoards, unseenBoard } from '../model/wire';
import { memo } from './memo';
import { Opponents } from './Opponents';
import { StateMark } from './StateMark';
import { TileBoard } from './TileBoard';

export const TableTile = memo(function TableTile({ table }: { readonly table: Table }) {
  const state = tableState(table);
  const boards = sensedBoards(table);
  const alone = boards.length === 1;
  return (
    <a class="tile" href={`/table/${encodeURIComponent(table.table)}`} data-table={table.table} data-state={state.kind} data-over={String(state.over ?? false)} data-boards={boards.length}>
      <div class="tile-head">
        <span class="tile-number">{labelOf(table)}</span>
        {table.round !== null && <abbr class="tile-round" title={t('Round {round}', { round: table.round })}>{t('R{round}', { round: table.round })}</abbr>}
        <Opponents table={table} otherwise={table.game === 'chess' ? t('Chess') : ''} />
        <StateMark state={state} />
      </div>
      <div class="tile-boards">
        {boards.map((board) => {
          const now = table.boards[board];
          return now === null ? null : (
            <TileBoard
              key={board}
              board={board}
              now={now}
              counts={clocksRun(table)}
              until_ms={table.sensors === 'lost' ? table.stale_since_ms : null}
              moving={!isOver(table)}
            />
          );
        })}
        {alone && <OneBoardNotes table={table} />}
      </div>
    </a>
  );
});

/** Text beside a single board, where there is room: the game, the players, and the sensors' failures. */
function OneBoardNotes({ table }: { readonly table: Table }) {
  const board = sensedBoards(table)[0] ?? 'A';
  const unseen = unseenBoard(table);
  const bottom: Side = board === 'A' ? 'white' : 'black';
  return (
    <div class="tile-notes">
      <span class="tile-seat">{seatLabel(table, board, opposite(bottom))}</span>
      <span class="tile-terms">{termsWords(table)}</span>
      {unseen !== null && <span class="tile-unseen">{tx('Board {unseen} has no sensors', { unseen })}</span>}
      <span class="tile-seat">{seatLabel(table, board, bottom)}</span>
    </div>
  );
}
