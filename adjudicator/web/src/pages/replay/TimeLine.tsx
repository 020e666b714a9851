/** The time line of a replay: what is left on every clock, marks of what happened, and where we are. */
import type { Match } from '../../model/match';
import { boardsOf, clockLine, marks } from '../../model/replay';
import { memo } from '../../components/memo';

const HEIGHT = 100;
const WIDTH = 1000;

interface Props {
  readonly match: Match;
  readonly t_ms: number;
  readonly end_ms: number;
  readonly go: (t_ms: number) => void;
}

export function TimeLine({ match, t_ms, end_ms, go }: Props) {
  return (
    <div class="time-line">
      <div class="time-graph">
        <Graph match={match} end_ms={end_ms} />
        <i class="time-now" style={{ left: `${(100 * t_ms) / end_ms}%` }} />
      </div>
      <input
        type="range"
        aria-label="Time in the match"
        aria-valuetext={words(t_ms)}
        min={0}
        max={Math.ceil(end_ms)}
        step={100}
        value={t_ms}
        onInput={(event) => go(Number(event.currentTarget.value))}
      />
      <p class="time-words">
        <time data-testid="time">{words(t_ms)}</time> of {words(end_ms)}
      </p>
    </div>
  );
}

/** Clocks as lines, board A solid and board B broken, White light and Black dark; marks in a row for each board below. */
const Graph = memo(function Graph({ match, end_ms }: { readonly match: Match; readonly end_ms: number }) {
  const boards = boardsOf(match);
  const lines = boards.flatMap((board) =>
    (['white', 'black'] as const).map((side) => {
      const points = clockLine(match, board, side);
      const path = points.map(({ t_ms, left_ms }) => `${((WIDTH * t_ms) / end_ms).toFixed(1)},${(HEIGHT * (1 - Math.max(0, left_ms) / Math.max(1, match.base_ms))).toFixed(1)}`);
      return <polyline key={`${board}${side}`} data-board={board} data-side={side} points={path.join(' ')} />;
    }),
  );
  return (
    <>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label="What is left on every clock over the match">
        {lines}
      </svg>
      {boards.map((board) => (
        <div key={board} class="time-marks" aria-hidden="true">
          {marks(match.plies)
            .filter((mark) => mark.board === board)
            .map(({ t_ms, kind, san }, index) => (
              <i key={index} data-kind={kind} title={`${board}: ${san}`} style={{ left: `${(100 * t_ms) / end_ms}%` }} />
            ))}
        </div>
      ))}
    </>
  );
});

function words(t_ms: number): string {
  const seconds = Math.floor(t_ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
