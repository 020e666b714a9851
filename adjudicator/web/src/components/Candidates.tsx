/** Candidates of an uncertain piece, likeliest first. */
import { useEffect, useRef } from 'preact/hooks';
import { t, tx } from '../language/language';
import { choices } from '../model/doubt';
import { type Color, squareOffset } from '../model/placement';
import type { BoardId, Uncertain } from '../model/wire';
import { Glyph } from './Glyph';

interface Props {
  readonly board: BoardId;
  readonly entry: Uncertain;
  readonly side: Color;
  readonly bottom: Color;
  readonly close: () => void;
}

export function Candidates({ board, entry, side, bottom, close }: Props) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus({ preventScroll: true }), [entry.square]);
  return (
    <div
      ref={box}
      class="candidates"
      data-testid="candidates"
      role="dialog"
      aria-label={t('Candidates for {square} of board {board}', { square: entry.square, board })}
      tabIndex={-1}
      style={beside(entry.square, bottom)}
    >
      <header>
        <span>{tx('{square}: not sure', { square: entry.square })}</span>
        <button type="button" aria-label={t('Close')} onClick={close}>
          ✕
        </button>
      </header>
      <ul>
        {choices(entry.candidates).map(({ role, name, p, percent }) => (
          <li key={name}>
            {role === undefined ? <span /> : <Glyph role={role} side={side} />}
            <span class="name">{name}</span>
            <span class="p">{percent}</span>
            <span class="share" style={{ width: `${Math.round(p * 100)}%` }} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** In the half of the board that the square is not in, so that the piece stays in sight. */
function beside(square: string, bottom: Color) {
  const { x, y } = squareOffset(square, bottom);
  const across = x < 4 ? { left: `min(${(x + 1) * 12.5}%, 100% - 11.5rem)` } : { right: `min(${(8 - x) * 12.5}%, 100% - 11.5rem)` };
  const down = y < 4 ? { top: `${(y + 1) * 12.5}%` } : { bottom: `${(8 - y) * 12.5}%` };
  return { ...across, ...down };
}
