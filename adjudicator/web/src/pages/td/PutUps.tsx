/** A position that is put up again: which piece goes where, what the board confirms, and what goes with it. */
import { langOf, served, t, tx } from '../../language/td';
import { MiniBoard } from '../../components/MiniBoard';
import { formatClock } from '../../model/clock';
import type { DirectorMatch, PutUp } from '../../model/td/wire';
import { Sure } from './Sure';
import type { Deciding } from './TablePage';
import { seatWords } from './words';

const MARKS = { done: '✓', open: '○', unseen: '?' } as const;
const SPOKEN = { done: t('done'), open: t('to be done'), unseen: t('no sensor can tell') } as const;

export function PutUps({ match, decide }: Deciding) {
  // What stands matters until the next one; before that only the last of a board is put up.
  const last = match.put_ups.at(-1);
  if (last === undefined) return null;
  const takeBack = () => decide({ what: 'withdraw', act: last.act }, t('position taken back'));
  return <One key={last.act} match={match} putUp={last} takeBack={takeBack} />;
}

function One({ match, putUp, takeBack }: { readonly match: DirectorMatch; readonly putUp: PutUp; readonly takeBack: () => void }) {
  const { state, steps } = putUp;
  const left = steps.filter((step) => step.state === 'open').length;
  return (
    <section class="put-up" data-testid="put-up" data-state={state}>
      <h2>{state === 'stands' ? t('The position stands') : t('Set up this position again')}</h2>
      <p role="status">
        <strong>{wordsOf(putUp, left)}</strong>
      </p>
      {state === 'waiting' && (
        <>
          <div class="put-up-board">
            <MiniBoard board={putUp.board} now={asNow(putUp)} />
          </div>
          <ol class="steps">
            {steps.map((step) => (
              <li key={step.text} data-step={step.state}>
                <span aria-hidden="true">{MARKS[step.state]}</span> <span lang={langOf(step.text)}>{served(step.text)}</span>
                <span class="unseen">, {SPOKEN[step.state]}</span>
              </li>
            ))}
          </ol>
        </>
      )}
      <p class="td-soft">
        {tx('{side} is to move.{touched}{clocks}{gives}', { side: putUp.turn === 'white' ? t('White') : t('Black'), touched: putUp.touched !== null && t(' The piece on {touched} was touched: it moves, if it can.', { touched: putUp.touched }), clocks: putUp.clocks_ms !== null && t(' The clock showed {formatClock} and {formatClock2}.', { formatClock: formatClock(putUp.clocks_ms[0]), formatClock2: formatClock(putUp.clocks_ms[1]) }), gives: putUp.gives !== null && t(' {seat} gets {formatClock}.', { seat: seatWords(match, putUp.gives.seat), formatClock: formatClock(putUp.gives.seconds * 1000) }) })}
      </p>
      {state === 'waiting' && (
        <div class="decisions">
          <Sure label={t('Take the position back')} says={t('play goes on from what stands there now')} act={takeBack} />
        </div>
      )}
    </section>
  );
}

function wordsOf({ state, is_sensed, otherwise, steps }: PutUp, left: number): string {
  if (!is_sensed) return t('This board has no sensors: check the position yourself.');
  if (state === 'stands') {
    return otherwise.length === 0 ? t('Play is followed from here. Start the clock.') : t('Play is followed from here, though {otherwise} read otherwise.', { otherwise: otherwise.join(', ') });
  }
  if (left > 0) return t('{left} of {n} to be done.', { left, n: steps.length });
  return otherwise.length === 0 ? t('All squares show it.') : t('Look at {otherwise}: something else is read there.', { otherwise: otherwise.join(', ') });
}

function asNow({ fen, turn }: PutUp) {
  return { fen, turn, last: null, state: 'normal', uncertain: [], reserves: null, clock: null };
}
