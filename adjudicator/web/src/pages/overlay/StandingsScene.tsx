/** A section's standings on the stream: a card with a screenful at a time, or a line at the bottom of the picture. */
import { numeral, t } from '../../language/language';
import { list, object, string } from '../../model/decode';
import { standingsSheet } from '../../model/td/wire';
import { useSharedRound } from '../usePicture';
import { Nothing, SceneHeading } from './Nothing';
import { useFetched, useTurns } from './useEvent';

const ROWS = 10;
/** Number of entries that fit into one line. */
const TICKER_ROWS = 5;

const eventOf = object({ name: string, sections: list(object({ section: string })) });

/** A section's standings, of the one that is named or of the first. */
function useStandings(section: string | null) {
  const { picture } = useSharedRound();
  const event = useFetched('/api/v1/event', eventOf, picture.event_changes);
  const name = section ?? event?.sections[0]?.section ?? null;
  const path = name === null ? null : `/api/v1/standings?section=${encodeURIComponent(name)}`;
  const sheet = useFetched(path, standingsSheet, picture.event_changes);
  return { sheet, live: String(picture.line.kind === 'live') };
}

export function StandingsScene({ section }: { readonly section: string | null }) {
  const { sheet, live } = useStandings(section);
  const rows = sheet?.standings.rows ?? [];
  const from = useTurns(Math.ceil(rows.length / ROWS)) * ROWS;
  return (
    <main class="scene" data-testid="scene" data-kind="standings" data-live={live}>
      {sheet === null ? <Nothing>{t('No standings yet')}</Nothing> : (
        <section class="scene-card scene-rows">
          <h1>
            {sheet.section} <small>{after(sheet)}</small>
          </h1>
          <ol>
            {rows.slice(from, from + ROWS).map((row) => (
              <li key={row.number}>
                <span>{row.rank}</span>
                <strong>{row.name}</strong>
                <span>{numeral(row.score)}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
    </main>
  );
}

export function TickerScene({ section }: { readonly section: string | null }) {
  const { sheet, live } = useStandings(section);
  const rows = sheet?.standings.rows ?? [];
  const from = useTurns(Math.ceil(rows.length / TICKER_ROWS)) * TICKER_ROWS;
  return (
    <main class="scene scene-bottom" data-testid="scene" data-kind="ticker" data-live={live}>
      {sheet === null ? <Nothing>{t('No standings yet')}</Nothing> : (
        <section class="scene-ticker">
          <SceneHeading />
          <strong>
            {sheet.section} <small>{after(sheet)}</small>
          </strong>
          <ol>
            {rows.slice(from, from + TICKER_ROWS).map((row) => (
              <li key={row.number}>
                {row.rank}. <b>{row.name}</b> {numeral(row.score)}
              </li>
            ))}
          </ol>
        </section>
      )}
    </main>
  );
}

function after({ standings }: { readonly standings: { readonly after_round: number; readonly provisional: boolean } }): string {
  return t('after round {afterround}{more}', { afterround: standings.after_round, more: standings.provisional ? t(', provisional') : '' });
}
