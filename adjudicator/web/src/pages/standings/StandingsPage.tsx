/** Standings by section, for everybody and for paper: how each number came about, who met whom, and where to see it again. */
import '../../style/td.css';
import '../../style/standings.css';
import { useEffect, useState } from 'preact/hooks';
import { Language } from '../../components/Language';
import { t, tx } from '../../language/language';
import { Notices } from '../../components/Notices';
import { fetchSnapshot } from '../../live/api';
import { IS_MIRROR } from '../../live/mirror';
import { NOTHING_SEEN, Stream } from '../../live/stream';
import { type EventSheet, type StandingsSheet, eventSheet, standingsSheet } from '../../model/td/wire';
import { useScroll } from '../useScroll';
import { ChartTable } from './ChartTable';
import { Clubs } from './Clubs';
import { Ranks } from './Ranks';

export function StandingsPage() {
  const { event, sheet, note, choose } = useStandings();
  const isScreen = new URLSearchParams(window.location.search).has('screen');
  useScroll(isScreen && sheet !== null);
  const section = event?.sections.find((one) => one.section === sheet?.section) ?? null;
  return (
    <div class={`standings-page${isScreen ? ' screen' : ''}`}>
      <header class="bar">
        <a class="button back" href="/" aria-label={t('All tables')}>
          <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
            <path d="M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z" fill="currentColor" />
          </svg>
        </a>
        <h1>{t('Standings')}</h1>
        <span class="spread" />
        {event !== null && event.sections.length > 1 && (
          <select aria-label={t('Section')} value={sheet?.section ?? ''} onChange={(change) => choose({ section: change.currentTarget.value, after: null })}>
            {event.sections.map(({ section: name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
        {section !== null && section.opened > 1 && (
          <select aria-label={t('After which round')} onChange={(change) => choose({ section: section.section, after: Number(change.currentTarget.value) || null })}>
            <option value="">{t('Latest')}</option>
            {Array.from({ length: section.opened }, (_, index) => index + 1).map((round) => (
              <option key={round} value={round}>{t('After round {round}', { round })}</option>
            ))}
          </select>
        )}
        {sheet !== null && (
          <button class="print" onClick={() => window.print()}>
            {t('Print')}
          </button>
        )}
        <Language />
      </header>
      <Notices section={sheet?.section ?? ''} />
      <main>
        {note !== '' && <p class="note" role="status">{note}</p>}
        {sheet !== null && <p class="paper-only">{event?.name}</p>}
        {sheet !== null && <Ranks key={sheet.section} sheet={sheet} pairings={section?.pairings ?? []} />}
        {sheet !== null && sheet.clubs !== null && <Clubs clubs={sheet.clubs} />}
        {sheet !== null && !isScreen && <ChartTable title={t('Crosstable: who met whom, by rank')} chart={sheet.crosstable} />}
        {sheet !== null && !isScreen && <ChartTable title={t('Wall chart: by pairing number')} chart={sheet.wall_chart} />}
        {sheet !== null && !isScreen && !IS_MIRROR && (
          <p class="later print-never">
            <a class="button" href={`/api/v1/event.zip?section=${encodeURIComponent(sheet.section)}`} download={`${sheet.section}.zip`}>
              {tx('All records of {section} (zip)', { section: sheet.section })}
            </a>
          </p>
        )}
      </main>
    </div>
  );
}

/** Interval at which standings are read on a plain web host. */
const STANDINGS_EVERY_MS = 5_000;

/** The section, and the round after which; null: the first section, and the latest round. */
interface Wish {
  readonly section: string | null;
  readonly after: number | null;
}

/** The chosen standings, fetched again at each change of the event. */
function useStandings() {
  const [event, setEvent] = useState<EventSheet | null>(null);
  const [wish, choose] = useState<Wish>(() => ({ section: new URLSearchParams(window.location.search).get('section'), after: null }));
  const [sheet, setSheet] = useState<StandingsSheet | null>(null);
  const [note, setNote] = useState(t('Loading the standings…'));
  const [count, setCount] = useState(0);
  const section = wish.section ?? event?.sections[0]?.section ?? null;
  useEffect(() => {
    const again = () => setCount((old) => old + 1);
    if (IS_MIRROR) {
      const timer = setInterval(again, STANDINGS_EVERY_MS);
      return () => clearInterval(timer);
    }
    const stream = new Stream(null, NOTHING_SEEN, { event: (name) => (name === 'event' || name === 'reset') && again(), broken: () => undefined });
    return () => stream.close();
  }, []);
  const failed = (error: unknown) => setNote(error instanceof Error ? error.message : '');
  useEffect(() => {
    fetchSnapshot('/api/v1/event', eventSheet).then((found) => {
      document.title = t('Standings – {name}', { name: found.name || 'Twinboard' });
      setEvent(found);
      setNote(found.sections.length === 0 ? t('There are no sections yet. Standings appear here by themselves.') : '');
    }, failed);
  }, [count]);
  useEffect(() => {
    if (section === null) return undefined;
    let isOver = false;
    const after = wish.after === null ? '' : `&after=${wish.after}`;
    fetchSnapshot(`/api/v1/standings?section=${encodeURIComponent(section)}${after}`, standingsSheet).then((found) => !isOver && setSheet(found), failed);
    return () => {
      isOver = true;
    };
  }, [section, wish.after, count]);
  return { event, sheet, note, choose };
}
