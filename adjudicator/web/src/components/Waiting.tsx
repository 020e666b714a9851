/** A table between matches: its boards as they stand, and that nothing is being played. */
import { placementOf } from '../model/placement';
import { type BoardView } from '../model/walk';
import { BOARDS, type BoardId, type Table } from '../model/wire';
import { MatchBoard } from './MatchBoard';

export function Waiting({ table }: { readonly table: Table }) {
  return (
    <main class="match" data-place="waiting">
      <div class="boards">
        {BOARDS.map((board) => (
          <MatchBoard
            key={board}
            board={board}
            view={standing(table, board)}
            table={table}
            revised={[]}
            revision={0}
            counts={false}
            until_ms={null}
            moving={false}
          />
        ))}
      </div>
      <aside class="record">
        <p class="note">No match at this table yet. This page shows it as soon as the pieces are set up.</p>
      </aside>
    </main>
  );
}

function standing(table: Table, board: BoardId): BoardView {
  const now = table.boards[board];
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
