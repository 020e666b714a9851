/** Carried out: what decisions want done on the clocks, what was ordered, and what became of it. */
import { useState } from 'preact/hooks';
import { parseTime, timeWords } from '../../model/td/clockorder';
import type { DirectorMatch, Order } from '../../model/td/wire';
import { type BoardId, sensedBoards } from '../../model/wire';
import { Sure } from './Sure';
import { seatWords } from './words';

export interface Ordering {
  readonly match: DirectorMatch;
  readonly order: (board: BoardId, change: Record<string, unknown>, label: string, because?: number) => void;
  /** Takes an order back that no hub has answered. */
  readonly takeBack: (order: Order) => void;
}

/** Orders that are shown at once; the rest is of no use any more. */
const ORDERS_SHOWN = 6;

const STATES: Record<Order['state'], string> = {
  sent: 'on its way',
  taken: 'at the hub',
  done: 'done',
  'by-hand': 'do it by hand',
  shown: 'done by hand',
  refused: 'not done',
  unknown: 'look at the clock',
  late: 'not done',
  contradicted: 'the boards say otherwise',
  withdrawn: 'taken back',
};

export function Clocks({ match, order, takeBack }: Ordering) {
  const boards = sensedBoards(match.shown.table);
  const both = () => boards.forEach((board) => order(board, { clock: 'pause' }, `clock ${board} stopped`));
  const latest = match.orders.slice(-ORDERS_SHOWN).reverse();
  return (
    <section class="clock-orders" data-testid="clock-orders">
      <h2>Clocks</h2>
      <div class="decisions">
        {match.proposed_orders.map((proposed) => (
          <Sure
            key={proposed.because}
            label={`As ruled: ${proposed.what}`}
            says="the clock is changed at the table"
            act={() => order(proposed.board, proposed.form, proposed.what, proposed.because)}
          />
        ))}
        {boards.length > 1 && <Sure label="Stop both boards" says="all four times stand" act={both} />}
      </div>
      {boards.map((board) => (
        <OneClock key={board} match={match} order={order} board={board} />
      ))}
      {latest.length > 0 && (
        <ol class="orders" data-testid="orders">
          {latest.map((one) => (
            <li key={one.act} data-state={one.state}>
              <span>{one.what}</span>
              <strong>{STATES[one.state]}</strong>
              <span class="td-soft">
                {one.person}
                {one.detail !== '' && `: ${one.detail}`}
              </span>
              {one.board !== null && (one.state === 'sent' || one.state === 'late') && (
                <button aria-label={`Take back: ${one.what}`} onClick={() => takeBack(one)}>Take back</button>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function OneClock({ match, order, board }: Omit<Ordering, 'takeBack'> & { readonly board: BoardId }) {
  const [side, setSide] = useState<'white' | 'black'>('white');
  const [time, setTime] = useState('2:00');
  const clock = match.shown.table.boards[board]?.clock ?? null;
  const given_ms = parseTime(time);
  const shown = clock === null ? null : { white: clock.white_ms, black: clock.black_ms };
  const runs = clock !== null && clock.running !== null;
  const change = (ms: number) =>
    order(board, { clock: 'adjust', white_ms: side === 'white' ? ms : 0, black_ms: side === 'black' ? ms : 0 }, `clock ${board}: ${ms < 0 ? '−' : '+'}${time}`);
  const set = () => {
    if (shown === null || given_ms === null) return;
    order(board, { clock: 'set', white_ms: side === 'white' ? given_ms : shown.white, black_ms: side === 'black' ? given_ms : shown.black }, `clock ${board} set to ${time}`);
  };
  return (
    <details class="one-clock">
      <summary>
        Clock {board}
        {shown !== null && `: ${timeWords(shown.white)} · ${timeWords(shown.black)}`}
      </summary>
      <div class="decisions">
        {runs ? (
          <button class="strong" onClick={() => order(board, { clock: 'pause' }, `clock ${board} stopped`)}>Stop</button>
        ) : (
          <button class="strong" onClick={() => order(board, { clock: 'resume' }, `clock ${board} goes on`)}>Go on</button>
        )}
        <Sure label="Set anew" says="both times as at the start; the match at this table is over by that" act={() => order(board, { clock: 'set-anew' }, `clock ${board} set anew`)} />
      </div>
      <div class="fields">
        <label>
          Whose time
          <select value={side} onChange={(event) => setSide(event.currentTarget.value as 'white' | 'black')}>
            <option value="white">{seatWords(match, board === 'A' ? 'white-a' : 'white-b')}</option>
            <option value="black">{seatWords(match, board === 'A' ? 'black-a' : 'black-b')}</option>
          </select>
        </label>
        <label>
          Minutes:seconds
          <input value={time} inputMode="numeric" maxLength={8} aria-invalid={given_ms === null} onInput={(event) => setTime(event.currentTarget.value)} />
        </label>
      </div>
      <p class="td-soft" role="status">{given_ms === null && 'Write a time such as 2:00, at most 9:59:59.'}</p>
      <div class="decisions">
        <Sure label={`Give ${time}`} says={`${side === 'white' ? 'White' : 'Black'} gets it`} disabled={given_ms === null} act={() => change(given_ms ?? 0)} />
        <Sure label={`Take ${time}`} says={`${side === 'white' ? 'White' : 'Black'} loses it`} disabled={given_ms === null} act={() => change(-(given_ms ?? 0))} />
        <Sure label={`Set to ${time}`} says={runs ? 'stop the clock first' : `${side === 'white' ? 'White' : 'Black'} has it then`} disabled={given_ms === null || runs || shown === null} act={set} />
      </div>
    </details>
  );
}
