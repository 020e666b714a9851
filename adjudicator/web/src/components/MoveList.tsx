/** The moves in true order, each a way to the moment after it: a column a board, or of a single board a column a side. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { coded, t, tx } from '../language/language';
import { formatClock } from '../model/clock';
import { SURE_FROM_P, percent } from '../model/doubt';
import { type Entry, moveRows, numberOf, rows } from '../model/movelist';
import { BOARDS, type Ply } from '../model/wire';
import { memo } from './memo';

interface Props {
  readonly plies: readonly Ply[];
  /** Only one board is followed. */
  readonly single: boolean;
  /** Index of the ply looked at. */
  readonly current: number;
  readonly live: boolean;
  readonly go: (index: number) => void;
}

export function MoveList({ plies, single, current, live, go }: Props) {
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
    <div class="move-list" data-single={String(single)}>
      <div class="columns" aria-hidden="true">
        {single && <span />}
        {single ? [t('White'), t('Black')].map((side) => <span key={side}>{side}</span>) : BOARDS.map((board) => <span key={board}>{tx('Board {board}', { board })}</span>)}
      </div>
      <ol ref={list} data-testid="moves" data-live={String(live)}>
        {plies.length === 0 && <li class="empty">{t('No move yet.')}</li>}
        {single
          ? moveRows(plies).map((row) => (
              <li class="row" key={(row.white ?? row.black)?.index}>
                <span class="number">{row.number}.</span>
                <Cells entries={[row.white, row.black]} current={current} go={go} />
              </li>
            ))
          : rows(plies).map((row) => (
              <li class="row" key={(row.A ?? row.B)?.index}>
                <Cells entries={[row.A, row.B]} numbered current={current} go={go} />
              </li>
            ))}
      </ol>
    </div>
  );
}

function Cells(props: {
  readonly entries: readonly (Entry | null)[];
  readonly numbered?: boolean;
  readonly current: number;
  readonly go: (index: number) => void;
}) {
  const { entries, numbered = false, current, go } = props;
  return (
    <>
      {entries.map((entry, column) =>
        entry === null ? <span key={column} /> : (
          <Move key={column} {...entry} numbered={numbered} current={entry.index === current} go={go} />
        ),
      )}
    </>
  );
}

const Move = memo(function Move(props: {
  readonly ply: Ply;
  readonly index: number;
  /** True if the ply carries its number, as BPGN writes it; otherwise the row has it. */
  readonly numbered: boolean;
  readonly current: boolean;
  readonly go: (index: number) => void;
}) {
  const { ply, index, numbered, current, go } = props;
  const unsure = ply.p < SURE_FROM_P;
  return (
    <button
      type="button"
      class="move"
      data-ply={ply.n}
      data-ply-id={ply.id}
      data-uci={ply.uci}
      data-unsure={String(unsure)}
      data-undone={String(ply.undone)}
      aria-current={current ? 'step' : undefined}
      onClick={() => go(index)}
    >
      {numbered && <span class="number">{numberOf(ply)}</span>}
      <span class="san">{ply.san}</span>
      {ply.clock_ms !== null && <span class="left">{formatClock(ply.clock_ms)}</span>}
      {unsure && <span class="remark">{tx('{percent} sure', { percent: percent(ply.p) })}</span>}
      {ply.was !== null && ply.was !== ply.san && <span class="remark">{tx('was {was}', { was: ply.was })}</span>}
      {ply.undone && <span class="remark">{t('taken back')}</span>}
      {ply.after_end && <span class="remark">{t('after the end')}</span>}
      {ply.illegal !== null && <span class="illegal">{tx('illegal: {reason}', { reason: coded(ply.illegal.reason) })}</span>}
    </button>
  );
});
