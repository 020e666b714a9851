/** Who plays where in the round: by name and team for whoever looks for a table, by table for the hall, on screens and on paper. */
import '../style/notices.css';
import { useState } from 'preact/hooks';
import { Language } from '../components/Language';
import { t, tx } from '../language/language';
import { Notices } from '../components/Notices';
import { useSharedRound } from './usePicture';
import { type RoundList, roundLists } from '../model/pairings';
import { eventSheet } from '../model/td/wire';
import { useFetched } from './overlay/useEvent';
import { useScroll } from './useScroll';

export function PairingsPage() {
  const { picture } = useSharedRound();
  const event = useFetched('/api/v1/event', eventSheet, picture.event_changes);
  const query = new URLSearchParams(window.location.search);
  const [section, setSection] = useState(query.get('section') ?? '');
  const [typed, setTyped] = useState('');
  const [order, setOrder] = useState<'name' | 'table'>(query.get('by') === 'table' ? 'table' : 'name');
  const isScreen = query.has('screen');
  const lists = event === null ? [] : roundLists(event, section);
  document.title = event === null ? t('Pairings') : t('Pairings – {name}', { name: event.name });
  useScroll(isScreen && event !== null);
  return (
    <div class={`pairings-page${isScreen ? ' screen' : ''}`}>
      <header class="bar">
        <a class="button" href="/">{t('Tables')}</a>
        <h1>{t('Pairings')}</h1>
        <span class="spread" />
        {event !== null && event.sections.length > 1 && (
          <select aria-label={t('Section')} value={section} onChange={(change) => setSection(change.currentTarget.value)}>
            <option value="">{t('All sections')}</option>
            {event.sections.map(({ section: name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
        <button aria-pressed={order === 'table'} onClick={() => setOrder(order === 'table' ? 'name' : 'table')}>{t('By table')}</button>
        <button onClick={() => window.print()}>{t('Print')}</button>
        <Language />
      </header>
      <Notices section={section} />
      <main>
        {!isScreen && (
          <label class="print-never">
            <span class="unseen">{t('Find a name or a team')}</span>
            <input type="search" placeholder={t('Name or team')} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
          </label>
        )}
        {lists.map((list) => (
          <List key={list.section} list={list} order={order} typed={typed} />
        ))}
        {event !== null && lists.length === 0 && <p class="note">{t('No round is paired yet. Pairings appear here by themselves.')}</p>}
      </main>
    </div>
  );
}

function List({ list, order, typed }: { readonly list: RoundList; readonly order: 'name' | 'table'; readonly typed: string }) {
  const has = (text: string) => text.toLowerCase().includes(typed.trim().toLowerCase());
  const places = list.byName.filter(({ name }) => has(name));
  const tables = list.byTable.filter(({ names, table }) => has(`${names.join(' ')} ${table}`));
  return (
    <section data-section={list.section}>
      <h2>
        {tx('{section}, round {round}', { section: list.section, round: list.round })}
      </h2>
      <ol class="by-name" data-testid={order === 'name' ? 'by-name' : 'by-table'}>
        {order === 'name'
          ? places.map(({ name, table, against }) => (
              <li key={name + table}>
                <span>
                  {name} <small>{tx('against {against}', { against })}</small>
                </span>
                <strong>{tx('Table {table}', { table })}</strong>
              </li>
            ))
          : tables.map(({ pairing, table, names }) => (
              <li key={pairing}>
                <strong>{tx('Table {table}', { table })}</strong>
                <span>{names.join(' – ')}</span>
              </li>
            ))}
      </ol>
      {list.byTable.length === 0 && <p class="note">{t('This round has no pairings yet.')}</p>}
      {list.byes.map((bye) => (
        <p key={bye}>{bye}</p>
      ))}
    </section>
  );
}
