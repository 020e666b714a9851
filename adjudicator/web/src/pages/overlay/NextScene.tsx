/** The next round on the stream: who meets whom, a screenful at a time. */
import { t, tx } from '../../language/language';
import { nextRounds } from '../../model/overlay/next';
import { eventSheet } from '../../model/td/wire';
import { useSharedRound } from '../usePicture';
import { Nothing } from './Nothing';
import { useFetched, useTurns } from './useEvent';

const ROWS = 10;

export function NextScene({ section }: { readonly section: string | null }) {
  const { picture } = useSharedRound();
  const found = useFetched('/api/v1/event', eventSheet, picture.event_changes);
  const rounds = found === null ? [] : nextRounds(found, section);
  const pages = rounds.flatMap(({ pairings, ...of }) => chunks(pairings, ROWS).map((rows) => ({ ...of, rows })));
  const page = pages[useTurns(pages.length)];
  return (
    <main class="scene" data-testid="scene" data-kind="next" data-live={String(picture.line.kind === 'live')}>
      {page === undefined ? <Nothing>{t('No round is paired')}</Nothing> : (
        <section class="scene-card scene-rows">
          <h1>
            {page.section} <small>{tx('next: round {round}', { round: page.round })}</small>
          </h1>
          <ol>
            {page.rows.map(({ pairing, table, names }) => (
              <li key={pairing}>
                <span>{tx('Table {table}', { table })}</span>
                <strong>
                  {names[0]} – {names[1]}
                </strong>
              </li>
            ))}
          </ol>
        </section>
      )}
    </main>
  );
}

function chunks<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size));
}
