/** Photo finish: each decisive moment is a bar as wide as its error; the clauses that then decide are below. */
import { langOf, t, tx } from '../../language/td';
import { bars } from '../../model/td/photofinish';
import type { DirectorMatch } from '../../model/td/wire';
import { Clauses } from './Clauses';
import { teamWords } from './words';

export function PhotoFinish({ match }: { readonly match: DirectorMatch }) {
  const finish = match.photo_finish;
  if (finish === null) return null;
  const drawn = bars(finish);
  return (
    <section class="photo-finish" data-testid="photo-finish" data-first={finish.first ?? 'none'}>
      <h2>{finish.first === null ? t('Too close to call') : t('First: {team}', { team: teamWords(match, finish.first) })}</h2>
      <p lang={langOf(finish.says)}>{finish.says}</p>
      <ol>
        {finish.moments.map(({ what, team }, index) => {
          const { left = 0, width = 0, words = '' } = drawn[index] ?? {};
          return (
            <li key={`${what} ${index}`} data-team={team}>
              <span>
                {what} <span class="td-soft">{tx('for {team} · {words}', { team: teamWords(match, team), words })}</span>
              </span>
              <i aria-hidden="true">
                <b style={{ left: `${left}%`, width: `${width}%` }} />
              </i>
            </li>
          );
        })}
      </ol>
      <Clauses because={finish.because} />
    </section>
  );
}
