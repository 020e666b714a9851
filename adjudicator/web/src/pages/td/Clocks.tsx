/** Carried out: what decisions want done on the clocks, what was ordered, and what became of it. */
import { useState } from 'preact/hooks';
import { langOf, served, t, tx } from '../../language/td';
import { type DelayKind, MOST_DELAY_S, delayOf, delayWords, parseTime, perMoveOf, timeWords } from '../../model/td/clockorder';
import type { DirectorMatch, Order } from '../../model/td/wire';
import { type BoardId, sensedBoards } from '../../model/wire';
import { Sure } from './Sure';
import { seatWords } from './words';

export interface Ordering {
  readonly match: DirectorMatch;
  readonly order: (board: BoardId, change: Record<string, unknown>, label: string, because?: number) => void;
  /** Takes an order back that no hub has answered. */
  readonly takeBack: (order: Order) => void;
  /** Says that an order was carried out by hand, which no reading can show. */
  readonly doneByHand: (order: Order) => void;
}

/** Orders that are shown at once; the rest is of no use any more. */
const ORDERS_SHOWN = 6;

const STATES: Record<Order['state'], string> = {
  sent: t('on its way'),
  taken: t('at the hub'),
  done: t('done'),
  'by-hand': t('do it by hand'),
  shown: t('done by hand'),
  refused: t('not done'),
  unknown: t('look at the clock'),
  late: t('not done'),
  contradicted: t('the boards disagree'),
  withdrawn: t('taken back'),
};

/** Of these a person must see to the clock. */
const BY_HAND: ReadonlySet<Order['state']> = new Set(['by-hand', 'late', 'unknown']);

const DELAYS: Record<DelayKind, string> = {
  us: t('Delay: time waits, then runs'),
  bronstein: t('Bronstein: used time comes back'),
  increment: t('Increment: it is added'),
};

export function Clocks({ match, order, takeBack, doneByHand }: Ordering) {
  const boards = sensedBoards(match.shown.table);
  const both = () => boards.forEach((board) => order(board, { clock: 'pause' }, t('clock {board} stopped', { board })));
  const latest = match.orders.slice(-ORDERS_SHOWN).reverse();
  return (
    <section class="clock-orders" data-testid="clock-orders">
      <h2>{t('Clocks')}</h2>
      <div class="decisions">
        {match.proposed_orders.map((proposed) => (
          <Sure
            key={proposed.because}
            label={t('As ruled: {what}', { what: proposed.what })}
            says={t('the clock is changed at the table')}
            act={() => order(proposed.board, proposed.form, proposed.what, proposed.because)}
          />
        ))}
        {boards.length > 1 && <Sure label={t('Stop both boards')} says={t('all four times stand')} act={both} />}
      </div>
      {boards.map((board) => (
        <OneClock key={board} match={match} order={order} board={board} />
      ))}
      {latest.length > 0 && (
        <ol class="orders" data-testid="orders">
          {latest.map((one) => (
            <li key={`${one.act} ${one.what}`} data-state={one.state}>
              <span lang={langOf(one.what)}>{served(one.what)}</span>
              <strong>{STATES[one.state]}</strong>
              <span class="td-soft">
                {one.person}
                {one.detail !== '' && <span lang={langOf(one.detail)}>: {served(one.detail)}</span>}
              </span>
              {one.board !== null && (one.state === 'sent' || one.state === 'late') && (
                <button aria-label={t('Take back: {what}', { what: one.what })} onClick={() => takeBack(one)}>{t('Take back')}</button>
              )}
              {one.unseen && BY_HAND.has(one.state) && (
                <button aria-label={t('Done by hand: {what}', { what: one.what })} onClick={() => doneByHand(one)}>{t('Done by hand')}</button>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

type OfOneClock = Pick<Ordering, 'match' | 'order'> & { readonly board: BoardId };

function OneClock({ match, order, board }: OfOneClock) {
  const [side, setSide] = useState<'white' | 'black'>('white');
  const [time, setTime] = useState('2:00');
  const clock = match.shown.table.boards[board]?.clock ?? null;
  const given_ms = parseTime(time);
  const shown = clock === null ? null : { white: clock.white_ms, black: clock.black_ms };
  const runs = clock !== null && clock.running !== null;
  const change = (ms: number) =>
    order(board, { clock: 'adjust', white_ms: side === 'white' ? ms : 0, black_ms: side === 'black' ? ms : 0 }, t('clock {board}: {more}{time}', { board, more: ms < 0 ? '−' : '+', time }));
  const set = () => {
    if (shown === null || given_ms === null) return;
    order(board, { clock: 'set', white_ms: side === 'white' ? given_ms : shown.white, black_ms: side === 'black' ? given_ms : shown.black }, t('clock {board} set to {time}', { board, time }));
  };
  return (
    <details class="one-clock">
      <summary>
        {tx('Clock {board}{shown} · {delay}', { board, shown: shown !== null && `: ${timeWords(shown.white)} · ${timeWords(shown.black)}`, delay: delayWords(match.per_move[board]) })}
      </summary>
      <div class="decisions">
        {runs ? (
          <button class="strong" onClick={() => order(board, { clock: 'pause' }, t('clock {board} stopped', { board }))}>{t('Stop')}</button>
        ) : (
          <button class="strong" onClick={() => order(board, { clock: 'resume' }, t('clock {board} goes on', { board }))}>{t('Go on')}</button>
        )}
        <Sure label={t('Set anew')} says={t('both times as at the start; the match at this table is over by that')} act={() => order(board, { clock: 'set-anew' }, t('clock {board} set anew', { board }))} />
      </div>
      <div class="fields">
        <label>
          {t('Whose time')}
          <select value={side} onChange={(event) => setSide(event.currentTarget.value as 'white' | 'black')}>
            <option value="white">{seatWords(match, board === 'A' ? 'white-a' : 'white-b')}</option>
            <option value="black">{seatWords(match, board === 'A' ? 'black-a' : 'black-b')}</option>
          </select>
        </label>
        <label>
          {t('Minutes:seconds')}
          <input value={time} inputMode="numeric" maxLength={8} aria-invalid={given_ms === null} onInput={(event) => setTime(event.currentTarget.value)} />
        </label>
      </div>
      <p class="td-soft" role="status">{given_ms === null && t('Write a time such as 2:00, at most 9:59:59.')}</p>
      <div class="decisions">
        <Sure label={t('Give {time}', { time })} says={t('{side} gets it', { side: side === 'white' ? t('White') : t('Black') })} disabled={given_ms === null} act={() => change(given_ms ?? 0)} />
        <Sure label={t('Take {time}', { time })} says={t('{side} loses it', { side: side === 'white' ? t('White') : t('Black') })} disabled={given_ms === null} act={() => change(-(given_ms ?? 0))} />
        <Sure label={t('Set to {time}', { time })} says={runs ? t('stop the clock first') : t('{side} has it then', { side: side === 'white' ? t('White') : t('Black') })} disabled={given_ms === null || runs || shown === null} act={set} />
      </div>
      <Delay match={match} order={order} board={board} />
    </details>
  );
}

/** Another delay for one clock. */
function Delay({ match, order, board }: OfOneClock) {
  const [kindNow, secondsNow] = delayOf(match.per_move[board]);
  const [kind, setKind] = useState<DelayKind>(kindNow);
  const [seconds, setSeconds] = useState(secondsNow);
  const per_move = perMoveOf(kind, seconds);
  const words = delayWords(per_move);
  return (
    <fieldset class="delay">
      <legend>{t('Each move gets')}</legend>
      <div class="fields">
        <label>
          {t('Kind')}
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value as DelayKind)}>
            {Object.entries(DELAYS).map(([of, says]) => (
              <option key={of} value={of}>{says}</option>
            ))}
          </select>
        </label>
        <label>
          {t('Seconds')}
          <select value={seconds} onChange={(event) => setSeconds(Number(event.currentTarget.value))}>
            {Array.from({ length: MOST_DELAY_S + 1 }, (_, of) => (
              <option key={of} value={of}>{of === 0 ? t('none') : of}</option>
            ))}
          </select>
        </label>
      </div>
      <div class="decisions">
        <Sure label={t('Order {words}', { words })} says={t('from the next move on; both times stay; until the clock is set again')} act={() => order(board, { clock: 'delay', per_move }, t('clock {board}: {words}', { board, words }))} />
      </div>
    </fieldset>
  );
}
