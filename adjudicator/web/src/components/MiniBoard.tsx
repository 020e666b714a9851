/** A small board of the overview: the same pieces as on a large one, without its machinery. */
import { t } from '../language/language';
import { memo } from './memo';
import { type Color, type Piece, kingOf, parsePlacement, squareOffset, squaresOf } from '../model/placement';
import { IN_CHECK } from '../model/walk';
import { doubts } from '../model/doubt';
import type { BoardId, BoardNow } from '../model/wire';

interface Props {
  readonly board: BoardId;
  readonly now: BoardNow;
}

export const MiniBoard = memo(function MiniBoard({ board, now }: Props) {
  const bottom: Color = board === 'A' ? 'white' : 'black';
  const pieces = parsePlacement(now.fen) ?? new Map<string, Piece>();
  const unsure = doubts(now.uncertain);
  const place = (square: string) => {
    const { x, y } = squareOffset(square, bottom);
    return { left: `${x * 12.5}%`, top: `${y * 12.5}%` };
  };
  const king = IN_CHECK.has(now.state) ? kingOf(pieces, now.turn) : undefined;
  return (
    <div
      class="mini squares cg-wrap"
      data-board={board}
      data-fen={now.fen}
      data-turn={now.turn}
      role="img"
      aria-label={t('Board {board}, {side} to move', { board, side: now.turn === 'white' ? t('White') : t('Black') })}
    >
      {now.last !== null && squaresOf(now.last).map((square) => <i key={`last ${square}`} class="last" style={place(square)} />)}
      {king !== undefined && <i key="check" class="check" style={place(king)} />}
      {[...pieces].map(([square, piece]) => (
        <piece
          key={square}
          class={`${piece.color} ${piece.role}${unsure.has(square) ? ' unsure' : ''}`}
          style={place(square)}
        />
      ))}
      {[...unsure.keys()].map((square) => (
        <i key={`ring ${square}`} class="ring" style={place(square)} />
      ))}
    </div>
  );
});
