/** A board with its surroundings: at either edge a player's name or team, reserve (where there is one) and clock. */
import { t } from '../language/language';
import type { BoardView } from '../model/walk';
import { seatLabel } from '../model/names';
import { type BoardId, type Side, type Table, opposite, sensedBoards } from '../model/wire';
import { Board } from './Board';
import { Clock } from './Clock';
import { Reserve } from './Reserve';

interface Props {
  readonly board: BoardId;
  readonly view: BoardView;
  readonly table: Table;
  readonly revised: readonly string[];
  readonly revision: number;
  readonly counts: boolean;
  readonly until_ms: number | null;
  /** True if a side is to move in the shown position. */
  readonly moving: boolean;
}

export function MatchBoard({ board, view, table, revised, revision, counts, until_ms, moving }: Props) {
  const alone = sensedBoards(table).length === 1;
  const bottom: Side = board === 'A' ? 'white' : 'black';
  const edge = (side: Side, where: 'top' | 'bottom') => (
    <>
      {view.reserves !== null && (
        <div class={`edge ${where}`} data-turn={String(moving && view.turn === side)}>
          <Reserve board={board} side={side} pieces={view.reserves[side]} />
        </div>
      )}
      <div class={`seat ${where}`}>
        <span class="team" data-testid={`seat-${board}-${side}`}>
          {seatLabel(table, board, side)}
        </span>
        <Clock board={board} side={side} reading={view.clock} counts={counts} until_ms={until_ms} />
      </div>
    </>
  );
  return (
    <section class="match-board" data-alone={String(alone)} aria-label={alone ? t('The board') : t('Board {board}', { board })}>
      {edge(opposite(bottom), 'top')}
      <div class="frame" data-turn={moving ? (view.turn === bottom ? 'bottom' : 'top') : 'none'}>
        <Board board={board} view={view} revised={revised} revision={revision} />
      </div>
      {!alone && (
        <span class="letter" aria-hidden="true">
          <span class="word">{t('Board')}{' '} </span>
          {board}
        </span>
      )}
      {edge(bottom, 'bottom')}
    </section>
  );
}
