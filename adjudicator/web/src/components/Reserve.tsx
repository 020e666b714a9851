/** The pieces a player may drop, most valuable first, lying along that player's edge. */
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
  const words = held.map(({ letter, count }) => `${count} ${roleOf(letter)}${count > 1 ? 's' : ''}`).join(', ');
  return (
    <div
      class="reserve"
      data-testid={`reserve-${board}-${side}`}
      data-reserve={pieces}
      style={{ '--kinds': held.length }}
      role="img"
      aria-label={`Reserve of ${side === 'white' ? 'White' : 'Black'} on board ${board}: ${words || 'empty'}`}
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
