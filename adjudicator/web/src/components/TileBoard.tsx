/** A small board with its surroundings: at either edge a player's clock and reserve. */
import type { BoardId, BoardNow, Side } from '../model/wire';
import { opposite } from '../model/wire';
import { Clock } from './Clock';
import { MiniBoard } from './MiniBoard';
import { Reserve } from './Reserve';

interface Props {
  readonly board: BoardId;
  readonly now: BoardNow;
  /** True if its clocks advance between readings. */
  readonly counts: boolean;
  readonly until_ms: number | null;
  /** True if a side is to move. */
  readonly moving: boolean;
  /** Names at either edge, where there is room. */
  readonly seats?: Readonly<Record<Side, string>> | null;
}

export function TileBoard({ board, now, counts, until_ms, moving, seats = null }: Props) {
  const bottom: Side = board === 'A' ? 'white' : 'black';
  const strip = (side: Side) => (
    <div class="tile-strip" data-turn={String(moving && now.turn === side)}>
      <Clock board={board} side={side} reading={now.clock} counts={counts} until_ms={until_ms} />
      {seats !== null && <span class="strip-seat">{seats[side]}</span>}
      {now.reserves !== null && <Reserve board={board} side={side} pieces={now.reserves[side]} />}
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
