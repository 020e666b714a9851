/** A table between matches: its present boards, and a notice that no match is played. */
import { t } from '../language/language';
import { placementOf } from '../model/placement';
import { type BoardView } from '../model/walk';
import { type BoardNow, type Table, sensedBoards } from '../model/wire';
import { MatchBoard } from './MatchBoard';

export function Waiting({ table }: { readonly table: Table }) {
  const boards = sensedBoards(table);
  return (
    <main class="match" data-place="waiting" data-boards={boards.length} data-game={table.game}>
      <div class="boards">
        {boards.map((board) => {
          const now = table.boards[board];
          if (now === null) return null;
          return (
            <MatchBoard
              key={board}
              board={board}
              view={standing(now)}
              table={table}
              revised={[]}
              revision={0}
              counts={false}
              until_ms={null}
              moving={false}
            />
          );
        })}
      </div>
      <aside class="record">
        <p class="note">{t('No match at this table yet. This page shows it as soon as the pieces are set up.')}</p>
      </aside>
    </main>
  );
}

function standing(now: BoardNow): BoardView {
  return {
    fen: placementOf(now.fen),
    turn: now.turn,
    last: [],
    check: null,
    state: now.state,
    uncertain: now.uncertain,
    reserves: now.reserves,
    clock: now.clock,
    ply: null,
  };
}
