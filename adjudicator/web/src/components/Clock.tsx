/** A player's clock, counted on between readings for as long as that is honest. */
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../language/language';
import { onTick } from '../live/ticker';
import { clockFace, formatClock, TENTHS_BELOW_MS } from '../model/clock';
import type { BoardId, ClockReading, Side } from '../model/wire';
import { HallTime } from './HallTime';

interface Props {
  readonly board: BoardId;
  readonly side: Side;
  readonly reading: ClockReading | null;
  /** The clock may be counted on: the match is on and its sensors report. */
  readonly counts: boolean;
  /** Server time of the last reading where sensors are lost: the clock stops there. */
  readonly until_ms: number | null;
}

export function Clock({ board, side, reading, counts, until_ms }: Props) {
  const hall = useContext(HallTime);
  const face = useRef<HTMLTimeElement>(null);
  const box = useRef<HTMLSpanElement>(null);
  const running = reading?.running === side;

  useLayoutEffect(() => {
    const paint = () => {
      if (face.current === null || box.current === null || reading === null) return;
      const now_ms = Math.min(hall.now_ms() ?? reading.read_at_ms, until_ms ?? Infinity);
      const { remaining_ms } = clockFace(reading, side, counts || until_ms !== null ? now_ms : reading.read_at_ms, hall.rate);
      const text = formatClock(remaining_ms);
      if (face.current.textContent === text) return;
      face.current.textContent = text;
      box.current.dataset['low'] = String(remaining_ms < TENTHS_BELOW_MS);
    };
    paint();
    return running && counts && hall.live ? onTick(paint) : undefined;
  }, [reading, side, counts, running, until_ms, hall]);

  return (
    <span
      ref={box}
      class="clock"
      data-testid={`clock-${board}-${side}`}
      data-side={side}
      data-clock-board={board}
      data-running={String(running)}
      data-still={String(running && !(counts && hall.live))}
      role="timer"
      aria-live="off"
      aria-label={t('Clock of {side} on board {board}{more}', { side: side === 'white' ? t('White') : t('Black'), board, more: running ? t(', running') : '' })}
    >
      <time ref={face}>{reading === null ? '–:––' : ''}</time>
    </span>
  );
}
