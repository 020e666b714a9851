/** Order of the tie-breaks: announced before the first round, and fixed from then on. */
import { coded, t } from '../../language/td';
import type { SectionSheet } from '../../model/td/wire';

const ALL = [
  'modified-median',
  'solkoff',
  'cumulative',
  'cumulative-of-opposition',
  'median',
  'sonneborn-berger',
  'game-match-points',
  'us-amateur-team',
  'kashdan',
  'direct-encounter',
  'buchholz',
  'buchholz-cut1',
  'buchholz-cut2',
  'buchholz-median1',
  'buchholz-median2',
  'fide-sonneborn-berger',
  'koya',
  'progressive',
  'progressive-cut1',
  'wins',
  'games-won',
  'games-with-black',
  'wins-with-black',
  'rounds-elected-to-play',
  'average-rating',
  'average-rating-cut1',
  'coin-toss',
];

interface Props {
  readonly section: SectionSheet;
  readonly act: (deed: unknown, label: string) => void;
}

export function TieBreaks({ section, act }: Props) {
  const { terms } = section;
  if (terms === null) return null;
  const order: readonly string[] = terms.tie_breaks;
  const isFixed = section.opened > 0;
  const change = (next: readonly string[]) =>
    act({ kind: 'section-changed', section: section.section, terms: { ...terms, tie_breaks: next } }, t('tie-breaks: {next}', { next: next.map((one) => coded(one)).join(', ') }));
  const earlier = (at: number) => change(order.map((one, index) => (index === at - 1 ? (order[at] ?? one) : index === at ? (order[at - 1] ?? one) : one)));
  return (
    <details data-testid="tie-breaks">
      <summary>{t('Tie-breaks:')}{' '} {order.map((one) => coded(one)).join(', ') || 'none'}</summary>
      {isFixed && <p class="td-soft">{t('They were announced with the first round and stay.')}</p>}
      {!isFixed && (
        <>
          <ol class="entrants">
            {order.map((one, at) => (
              <li key={one}>
                <span>
                  {at + 1}. {coded(one)}
                </span>
                <button disabled={at === 0} onClick={() => earlier(at)}>
                  {t('Earlier')}
                </button>
                <button onClick={() => change(order.filter((other) => other !== one))}>{t('Leave out')}</button>
              </li>
            ))}
          </ol>
          <label>
            {t('Add')}{' '}
            <select value="" onChange={(event) => event.currentTarget.value !== '' && change([...order, event.currentTarget.value])}>
              <option value="">–</option>
              {ALL.filter((one) => !order.includes(one)).map((one) => (
                <option key={one} value={one}>
                  {coded(one)}
                </option>
              ))}
            </select>
          </label>
        </>
      )}
    </details>
  );
}
