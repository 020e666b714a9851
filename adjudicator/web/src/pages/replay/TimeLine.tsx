/** The time line of a replay: what is left on every clock, marks of what happened, and where we are. */
import { once, t, tx } from '../../language/language';
import type { Match } from '../../model/match';
import { nearPasses } from '../../model/passes';
import { type MarkKind, boardsOf, claimMarks, clockLine, marks, mostTime_ms } from '../../model/replay';
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
        aria-label={t('Time in the match')}
        aria-valuetext={words(t_ms)}
        min={0}
        max={Math.ceil(end_ms)}
        step={100}
        value={t_ms}
        onInput={(event) => go(Number(event.currentTarget.value))}
      />
      <p class="time-words">
        <span>
          {tx('{time} of {words}', { time: <time data-testid="time">{words(t_ms)}</time>, words: words(end_ms) })}
        </span>
        <Legend match={match} />
      </p>
    </div>
  );
}

const kindWords = once((): readonly (readonly [MarkKind, string])[] => [
  ['capture', t('capture')],
  ['drop', t('drop')],
  ['check', t('check')],
  ['mate', t('mate')],
  ['claim', t('claim decided')],
]);

/** What the marks mean, of those that are there. */
function Legend({ match }: { readonly match: Match }) {
  const there = new Set([...marks(match.plies), ...claimMarks(match.decided)].map(({ kind }) => kind));
  return (
    <span class="time-legend" aria-hidden="true">
      {kindWords().filter(([kind]) => there.has(kind)).map(([kind, name]) => (
        <span key={kind}>
          <i data-kind={kind} /> {name}
        </span>
      ))}
    </span>
  );
}

/** Clocks as lines, board A solid and board B broken, White light and Black dark; marks in a row for each board below. */
const Graph = memo(function Graph({ match, end_ms }: { readonly match: Match; readonly end_ms: number }) {
  const boards = boardsOf(match);
  const most_ms = mostTime_ms(match);
  const lines = boards.flatMap((board) =>
    (['white', 'black'] as const).map((side) => {
      const points = clockLine(match, board, side);
      const path = points.map(({ t_ms, left_ms }) => `${((WIDTH * t_ms) / end_ms).toFixed(1)},${(HEIGHT * (1 - Math.max(0, left_ms) / most_ms)).toFixed(1)}`);
      return <polyline key={`${board}${side}`} data-board={board} data-side={side} points={path.join(' ')} />;
    }),
  );
  const all = [...marks(match.plies), ...claimMarks(match.decided)];
  return (
    <>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={t('Time left on every clock over the match')}>
        {lines}
      </svg>
      <div class="time-rows">
        {boards.map((board) => (
          <div key={board} class="time-marks" aria-hidden="true" data-board-marks={board}>
            {all
              .filter((mark) => mark.board === board)
              .map(({ t_ms, kind, words: what }, index) => (
                <i key={index} data-kind={kind} title={`${board}: ${what}`} style={{ left: `${(100 * t_ms) / end_ms}%` }} />
              ))}
          </div>
        ))}
        <Joined match={match} end_ms={end_ms} />
      </div>
    </>
  );
});

/** Captures joined with the drops that they made possible, from one board's row to the other's. */
function Joined({ match, end_ms }: { readonly match: Match; readonly end_ms: number }) {
  const at = (index: number) => (WIDTH * (match.plies[index]?.t_ms ?? 0)) / end_ms;
  const row = (board: string) => (board === 'A' ? 25 : 75);
  return (
    <svg class="time-passes" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {nearPasses(match.plies).map(({ capture, drop, from, to }) => (
        <line key={drop} x1={at(capture)} y1={row(from.board)} x2={at(drop)} y2={row(to.board)} />
      ))}
    </svg>
  );
}

function words(t_ms: number): string {
  const seconds = Math.floor(t_ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
