/** The moves of both boards in true order, each a way to the moment after it. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { formatClock } from '../model/clock';
import { SURE_FROM_P, percent } from '../model/doubt';
import { numberOf, rows } from '../model/movelist';
import type { Ply } from '../model/wire';
import { memo } from './memo';

interface Props {
  readonly plies: readonly Ply[];
  /** Index of the ply looked at. */
  readonly current: number;
  readonly live: boolean;
  readonly go: (index: number) => void;
}

export function MoveList({ plies, current, live, go }: Props) {
  const list = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => {
    const shown = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (list.current === null || !shown) return;
    const [box, row] = [list.current.getBoundingClientRect(), shown.getBoundingClientRect()];
    if (row.bottom > box.bottom || row.top < box.top) {
      list.current.scrollTop += row.top - box.top - box.height / 2;
    }
  }, [current, plies.length]);

  return (
    <div class="move-list">
      <div class="columns" aria-hidden="true">
        <span>Board A</span>
        <span>Board B</span>
      </div>
      <ol ref={list} data-testid="moves" data-live={String(live)}>
        {plies.length === 0 && <li class="empty">No move yet.</li>}
        {rows(plies).map((row) => (
          <li class="row" key={(row.A ?? row.B)?.index}>
            {[row.A, row.B].map((entry, column) =>
              entry === null ? <span key={column} /> : (
                <Move key={column} {...entry} current={entry.index === current} go={go} />
              ),
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

const Move = memo(function Move(props: {
  readonly ply: Ply;
  readonly index: number;
  readonly current: boolean;
  readonly go: (index: number) => void;
}) {
  const { ply, index, current, go } = props;
  const unsure = ply.p < SURE_FROM_P;
  return (
    <button
      type="button"
      class="move"
      data-ply={ply.n}
      data-ply-id={ply.id}
      data-uci={ply.uci}
      data-unsure={String(unsure)}
      aria-current={current ? 'step' : undefined}
      onClick={() => go(index)}
    >
      <span class="number">{numberOf(ply)}</span>
      <span class="san">{ply.san}</span>
      {ply.clock_ms !== null && <span class="left">{formatClock(ply.clock_ms)}</span>}
      {unsure && <span class="remark">{percent(ply.p)} sure</span>}
      {ply.was !== null && ply.was !== ply.san && <span class="remark">was {ply.was}</span>}
      {ply.after_end && <span class="remark">after the end</span>}
      {ply.illegal !== null && <span class="illegal">illegal: {ply.illegal.reason.replaceAll('-', ' ')}</span>}
    </button>
  );
});
