/** A question about a ply, answered with one tap: what was played. */
import { t, tx } from '../../language/td';
import { percent } from '../../model/td/needs';
import type { Question } from '../../model/td/wire';
import type { Ply } from '../../model/wire';
import type { Deciding } from './TablePage';

type Props = Deciding & { readonly question: Question; readonly lookAt: (ply: number) => void };

export function Asked({ match, decide, question, lookAt }: Props) {
  const asked = match.shown.plies.find(({ id }) => id === question.ply);
  if (asked === undefined) return null;
  const correct = correcting(decide);
  return (
    <section data-testid="question" data-ply={asked.id}>
      <h3>
        {tx('What was ply {n}, {side} on board {board}?', { n: asked.n, side: asked.side === 'white' ? t('White') : t('Black'), board: asked.board })}
      </h3>
      <div class="decisions">
        {question.candidates.map(({ uci, p }) => (
          <button key={uci} data-uci={uci} onClick={() => correct(asked, uci)}>
            {wordsOf(asked, uci)} <small>{percent(p)}</small>
          </button>
        ))}
        <button onClick={() => lookAt(asked.id)}>{t('Show the ply')}</button>
      </div>
    </section>
  );
}

/** Says what a ply was. */
export function correcting(decide: Deciding['decide']) {
  return (ply: Ply, said: string) => decide({ what: 'correct', ply: ply.id, said }, t('ply {n} was {said}', { n: ply.n, said }));
}

function wordsOf(ply: Ply, uci: string): string {
  return uci === ply.uci ? ply.san : (ply.alternatives.find((other) => other.uci === uci)?.san ?? uci);
}
