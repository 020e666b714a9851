/** The hall's screens from the desk: which there are, what each shows, what it is called, and loading it again. */
import { useEffect, useState } from 'preact/hooks';
import { t, tx } from '../../language/td';
import { get, post } from '../../live/td/server';
import { type Listed, SHOWS, type Shows, showWords, screens, showsDeed, showsWords } from '../../model/screen';
import { type EventSheet, type Me, eventSheet } from '../../model/td/wire';
import { NodesUpdate } from './NodesUpdate';
import { Sure } from './Sure';
import { Outcomes, TdBar } from './TdBar';
import { type Desk, useDesk } from './useDesk';

const LOOK_EVERY_MS = 3_000;
const NAME_MAX = 40;

export function ScreensPage({ me, lost }: { readonly me: Me; readonly lost: () => void }) {
  const desk = useDesk(null, lost);
  const [listed, setListed] = useState<readonly Listed[] | null>(null);
  const [event, setEvent] = useState<EventSheet | null>(null);
  const [note, setNote] = useState('');
  useEffect(() => {
    const failed = (error: unknown) => setNote(error instanceof Error ? error.message : '');
    const look = () =>
      void get('/api/v1/td/screens', screens).then((found) => {
        setListed(found.screens);
        setNote('');
      }, failed);
    look();
    const timer = window.setInterval(look, LOOK_EVERY_MS);
    void get('/api/v1/td/event', eventSheet).then(setEvent, failed);
    return () => window.clearInterval(timer);
  }, [desk.outcomes]);
  const reload = (screen: number) =>
    void post(`/api/v1/td/screens/${screen}/reload`, {}, (body) => body).then(
      () => setNote(t('Screen {screen} loads its page again.', { screen })),
      (error: unknown) => setNote(error instanceof Error ? error.message : ''),
    );
  return (
    <main class="td">
      <TdBar title={t('Screens')} me={me} desk={desk} />
      <Outcomes desk={desk} />
      {note !== '' && <p class="note" role="status">{note}</p>}
      <p class="td-soft">{tx('Open {strong} on each screen. It shows a number; give it here what it shows.', { strong: <strong>{window.location.origin}/screen</strong> })}</p>
      <ol class="needs" data-testid="screens">
        {(listed ?? []).map((one) => (
          <Screen key={one.screen} of={one} event={event} desk={desk} reload={() => reload(one.screen)} />
        ))}
      </ol>
      {listed !== null && listed.length === 0 && <p class="note">{t('No screen is connected. It appears here by itself.')}</p>}
      {me.rank === 'chief' && <NodesUpdate desk={desk} />}
    </main>
  );
}

interface ScreenProps {
  readonly of: Listed;
  readonly event: EventSheet | null;
  readonly desk: Desk;
  readonly reload: () => void;
}

function Screen({ of, event, desk, reload }: ScreenProps) {
  const { screen, is_online } = of;
  const [name, setName] = useState(of.name);
  const [shows, setShows] = useState<Shows>(of.shows ?? { show: 'overview', section: null, table: null });
  const tables = event?.tables ?? [];
  const isTable = shows.show === 'table';
  const table = shows.table ?? tables[0] ?? '';
  const wanted = isTable ? { ...shows, table } : shows;
  const called = of.name === '' ? t('Screen {screen}', { screen }) : t('Screen {screen}, {name}', { screen, name: of.name });
  return (
    <li class="need screen-line" data-screen={screen} data-online={String(is_online)}>
      <span class="need-words">
        <span class="need-where">{called}</span>
        <span class="need-what">{showsWords(of.shows)}</span>
        <span class="need-when">{is_online ? t('● Online') : t('▲ Offline')}</span>
      </span>
      <div class="fields">
        <label>
          {t('Shows')}
          <select value={shows.show} onChange={(change) => setShows({ ...shows, show: change.currentTarget.value as Shows['show'] })}>
            {SHOWS.map((show) => (
              <option key={show} value={show}>{showWords()[show]}</option>
            ))}
          </select>
        </label>
        {isTable ? (
          <label>
            {t('Table')}
            <select value={table} onChange={(change) => setShows({ ...shows, table: change.currentTarget.value })}>
              {tables.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        ) : (
          <label>
            {t('Section')}
            <select value={shows.section ?? ''} onChange={(change) => setShows({ ...shows, section: change.currentTarget.value === '' ? null : change.currentTarget.value })}>
              <option value="">{t('All, or the first')}</option>
              {event?.sections.map((one) => (
                <option key={one.section}>{one.section}</option>
              ))}
            </select>
          </label>
        )}
        <label>
          {t('Name')}
          <input value={name} maxLength={NAME_MAX} onInput={(input) => setName(input.currentTarget.value)} />
        </label>
      </div>
      <button class="strong" disabled={isTable && table === ''} onClick={() => desk.act({ of: 'screen', screen, name: name.trim(), shows: showsDeed(wanted) }, t('screen {screen}: {shows}', { screen, shows: showsWords(wanted) }))}>{t('Show it')}</button>
      {is_online && <button onClick={reload}>{t('Load again')}</button>}
      {of.shows !== null && <Sure label={t('Forget')} says={t('its number is free, and it shows a number again')} act={() => desk.act({ of: 'screen-forgotten', screen }, t('screen {screen} forgotten', { screen }))} />}
    </li>
  );
}
