/** The record put right: the questions that would settle most, and the ply that is looked at. */
import { useState } from 'preact/hooks';
import { t, tx } from '../../language/td';
import { percent } from '../../model/td/needs';
import type { Ply } from '../../model/wire';
import { Asked, correcting } from './Asked';
import { Sure } from './Sure';
import type { Deciding } from './TablePage';

type Props = Deciding & { readonly looking: Ply | null; readonly lookAt: (ply: number) => void };

const UCI = /^([a-h][1-8][a-h][1-8][qrbn]?|[PNBRQ]@[a-h][1-8])$/;

export function Record({ match, decide, looking, lookAt }: Props) {
  const [question] = match.questions;
  const correct = correcting(decide);
  const notPlayed = (ply: Ply) => decide({ what: 'not-played', ply: ply.id }, t('ply {n} was not played', { n: ply.n }));
  const reinstate = (ply: Ply) => decide({ what: 'reinstate', before: ply.id }, t('position before ply {n} reinstated', { n: ply.n }));
  return (
    <details class="put-right" open={question !== undefined}>
      <summary>{t('The record')}{match.questions.length > 0 && ` (${t('{n} {n|one:question|other:questions}', { n: match.questions.length })})`}</summary>
      {question !== undefined && <Asked match={match} decide={decide} question={question} lookAt={lookAt} />}
      {looking !== null && <Correct key={looking.id} ply={looking} correct={correct} notPlayed={notPlayed} reinstate={match.is_over ? null : reinstate} />}
      <p class="td-soft">{t('Your statement enters the record at once. The hub follows the match again with it.')}</p>
    </details>
  );
}

interface Correcting {
  readonly ply: Ply;
  readonly correct: (ply: Ply, said: string) => void;
  readonly notPlayed: (ply: Ply) => void;
  /** None once nothing is played any more. */
  readonly reinstate: ((ply: Ply) => void) | null;
}

function Correct({ ply, correct, notPlayed, reinstate }: Correcting) {
  const [said, setSaid] = useState('');
  const uci = said.trim();
  return (
    <section>
      <h3>{tx('Ply {n} was not {san}', { n: ply.n, san: ply.san })}</h3>
      <div class="decisions">
        {ply.alternatives.map((other) => (
          <button key={other.uci} onClick={() => correct(ply, other.uci)}>
            {other.san} <small>{percent(other.p)}</small>
          </button>
        ))}
      </div>
      <label>
        {t('Something else, as e2e4, e7e8q or N@f3')}
        <input value={said} maxLength={5} autocapitalize="off" aria-invalid={uci !== '' && !UCI.test(uci)} onInput={(event) => setSaid(event.currentTarget.value)} />
      </label>
      <button disabled={!UCI.test(uci)} onClick={() => correct(ply, uci)}>{t('It was this')}</button>
      <Sure label={t('There was no such ply')} says={t('it stays here until the hub has followed the match again without it')} act={() => notPlayed(ply)} />
      {reinstate !== null && (
        <Sure label={t('Reinstate the position before it')} says={t('everything since on board {board} is taken back', { board: ply.board })} act={() => reinstate(ply)} />
      )}
    </section>
  );
}
