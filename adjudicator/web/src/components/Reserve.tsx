/** The pieces a player may drop, most valuable first, lying along that player's edge. */
import { t } from '../language/language';
import { pieceCount } from '../model/names';
import { reserveCounts, roleOf } from '../model/placement';
import type { BoardId, Side } from '../model/wire';
import { Glyph } from './Glyph';

interface Props {
  readonly board: BoardId;
  readonly side: Side;
  readonly pieces: string;
}

export function Reserve({ board, side, pieces }: Props) {
  const held = reserveCounts(pieces);
  const words = held.map(({ letter, count }) => pieceCount[letter](count)).join(', ');
  return (
    <div
      class="reserve"
      data-testid={`reserve-${board}-${side}`}
      data-reserve={pieces}
      style={{ '--kinds': held.length }}
      role="img"
      aria-label={t('Reserve of {side} on board {board}: {words}', { side: side === 'white' ? t('White') : t('Black'), board, words: words || t('empty') })}
    >
      {held.map(({ letter, count }) => (
        <span class="held" key={letter}>
          <Glyph role={roleOf(letter) ?? 'pawn'} side={side} />
          {count > 1 && <span class="count">{count}</span>}
        </span>
      ))}
    </div>
  );
}
