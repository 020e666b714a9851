/** The announcer's page: public facts to be read aloud. */
import { useEffect, useState } from 'preact/hooks';
import { t } from '../../language/language';
import { useNotices, useNow } from '../../components/Notices';
import { fetchSnapshot } from '../../live/api';
import { factsOf } from '../../model/announcer';
import { type StandingsSheet, eventSheet, standingsSheet } from '../../model/td/wire';
import { useFetched } from '../overlay/useEvent';
import { useSharedRound } from '../usePicture';

export function Announcer({ section }: { readonly section: string | null }) {
  const { picture } = useSharedRound();
  const event = useFetched('/api/v1/event', eventSheet, picture.event_changes);
  const sheets = useStandings(event?.sections.map((one) => one.section) ?? [], picture.event_changes);
  const found = useNotices();
  const now_ms = useNow() + (found?.ahead_ms ?? 0);
  const facts = event === null ? [] : factsOf(event, picture.round?.tables ?? [], found?.told ?? null, sheets, section, now_ms);
  return (
    <main class="announcer" data-testid="announcer">
      <h1>{event?.name || t('To read aloud')}</h1>
      {facts.map(({ title, lines }) => (
        <section key={title}>
          <h2>{title}</h2>
          <ul>
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </section>
      ))}
      {event !== null && facts.length === 0 && <p class="note">{t('There is nothing to announce yet.')}</p>}
    </main>
  );
}

/** The standings of some sections, again whenever the event changes. */
function useStandings(sections: readonly string[], event_changes: number): readonly StandingsSheet[] {
  const [sheets, setSheets] = useState<readonly StandingsSheet[]>([]);
  useEffect(() => {
    let isOver = false;
    const asked = sections.map((section) => fetchSnapshot(`/api/v1/standings?section=${encodeURIComponent(section)}`, standingsSheet).catch(() => null));
    void Promise.all(asked).then((found) => !isOver && setSheets(found.filter((one) => one !== null)));
    return () => {
      isOver = true;
    };
  }, [sections.join('\n'), event_changes]);
  return sheets;
}
