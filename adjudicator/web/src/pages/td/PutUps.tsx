/** A position that is put up again: which piece goes where, what the board confirms, and what goes with it. */
import { MiniBoard } from '../../components/MiniBoard';
import { formatClock } from '../../model/clock';
import type { DirectorMatch, PutUp } from '../../model/td/wire';
import { Sure } from './Sure';
import type { Deciding } from './TablePage';
import { seatWords } from './words';

const MARKS = { done: '✓', open: '○', unseen: '?' } as const;
const SPOKEN = { done: 'done', open: 'to be done', unseen: 'no sensor can tell' } as const;

export function PutUps({ match, decide }: Deciding) {
  // What stands matters until the next one; before that only the last of a board is put up.
  const last = match.put_ups.at(-1);
  if (last === undefined) return null;
  const takeBack = () => decide({ what: 'withdraw', act: last.act }, 'position taken back');
  return <One key={last.act} match={match} putUp={last} takeBack={takeBack} />;
}

function One({ match, putUp, takeBack }: { readonly match: DirectorMatch; readonly putUp: PutUp; readonly takeBack: () => void }) {
  const { state, steps } = putUp;
  const left = steps.filter((step) => step.state === 'open').length;
  return (
    <section class="put-up" data-testid="put-up" data-state={state}>
      <h2>{state === 'stands' ? 'The position stands' : 'Put this position up again'}</h2>
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
                <span aria-hidden="true">{MARKS[step.state]}</span> {step.text}
                <span class="unseen">, {SPOKEN[step.state]}</span>
              </li>
            ))}
          </ol>
        </>
      )}
      <p class="td-soft">
        {putUp.turn === 'white' ? 'White' : 'Black'} is to move.
        {putUp.touched !== null && ` The piece on ${putUp.touched} was touched: it moves, if it can.`}
        {putUp.clocks_ms !== null && ` The clock showed ${formatClock(putUp.clocks_ms[0])} and ${formatClock(putUp.clocks_ms[1])}.`}
        {putUp.gives !== null && ` ${seatWords(match, putUp.gives.seat)} gets ${formatClock(putUp.gives.seconds * 1000)}.`}
      </p>
      {state === 'waiting' && (
        <div class="decisions">
          <Sure label="Take the position back" says="play goes on from what stands there now" act={takeBack} />
        </div>
      )}
    </section>
  );
}

function wordsOf({ state, is_sensed, otherwise, steps }: PutUp, left: number): string {
  if (!is_sensed) return 'This board has no sensors: look yourself whether it stands.';
  if (state === 'stands') {
    return otherwise.length === 0 ? 'Play is followed from here. Start the clock.' : `Play is followed from here, though ${otherwise.join(', ')} read otherwise.`;
  }
  if (left > 0) return `${left} of ${steps.length} to be done.`;
  return otherwise.length === 0 ? 'All squares show it.' : `Look at ${otherwise.join(', ')}: something else is read there.`;
}

function asNow({ fen, turn }: PutUp) {
  return { fen, turn, last: null, state: 'normal', uncertain: [], reserves: null, clock: null };
}
