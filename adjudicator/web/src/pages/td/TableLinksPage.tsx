/** Links of tables, by which players report results and call a director. Printed once, revoked by a touch. */
import '../../style/notices.css';
import { useEffect, useState } from 'preact/hooks';
import { t, tx } from '../../language/td';
import { get, post } from '../../live/td/server';
import { type Decoded, list, nullable, object, string } from '../../model/decode';
import { type EventSheet, type Me, eventSheet } from '../../model/td/wire';
import { LinkSlips } from './LinkSlips';
import { Sure } from './Sure';
import { Outcomes, TdBar } from './TdBar';
import { useDesk } from './useDesk';

const links = list(object({ table: string, path: string, code: nullable(string) }));

const SAYS = t('When the game is over, each side opens this, touches its name, who won, and Confirm. “Call a director” is there, too.');

export function TableLinksPage({ me, lost }: { readonly me: Me; readonly lost: () => void }) {
  const desk = useDesk(null, lost);
  const [event, setEvent] = useState<EventSheet | null>(null);
  const [made, setMade] = useState<Decoded<typeof links>>([]);
  const [note, setNote] = useState('');
  const failed = (error: unknown) => setNote(error instanceof Error ? error.message : '');
  useEffect(() => {
    get('/api/v1/td/event', eventSheet).then(setEvent, failed);
  }, [desk.outcomes, made]);
  const make = (tables: readonly string[]) =>
    void post('/api/v1/td/tables/links', { tables }, links).then((found) => {
      setMade(found);
      setNote('');
    }, failed);
  const linked = new Set(event?.linked_tables ?? []);
  const without = event?.tables.filter((table) => !linked.has(table)) ?? [];
  return (
    <main class="td">
      <TdBar title={t('Tables\' links')} me={me} desk={desk} />
      <Outcomes desk={desk} />
      {note !== '' && <p class="note" role="alert">{note}</p>}
      {made.length > 0 && <LinkSlips made={made.map((link) => ({ ...link, title: t('Table {table}', { table: link.table }), of: event?.name ?? '' }))} says={SAYS} close={() => setMade([])} />}
      <div class="print-never">
        <p class="td-soft">{t('A link shows one table\'s pairings, takes the reports of its sides, and calls a director there. A report is provisional until a director confirms it. A new link makes the old one void.')}</p>
        {without.length > 0 && <Sure label={t('Links for {n} without one', { n: without.length })} says={t('to be printed and put on the tables')} act={() => make(without)} />}
        <ol class="entrants" data-testid="table-links">
          {event?.tables.map((table) => (
            <li key={table} data-table={table}>
              <span>{tx('Table {table}', { table })} <span class="td-soft">{linked.has(table) ? t('has a link') : t('has none')}</span></span>
              <Sure label={linked.has(table) ? t('New link') : t('Link')} says={linked.has(table) ? t('the old one is void') : t('for this table alone')} act={() => make([table])} />
              {linked.has(table) && <Sure label={t('Revoke')} says={t('nobody reports or calls by it any more')} act={() => desk.act({ of: 'event', deeds: [{ kind: 'table-link-revoked', table }] }, t('table {table}: link revoked', { table }))} />}
            </li>
          ))}
        </ol>
        {event !== null && event.tables.length === 0 && <p class="note">{tx('No tables yet: import a list of teams or players on {page}, with the tables of the hall.', { page: <a href="/td/event">{t('Event')}</a> })}</p>}
      </div>
    </main>
  );
}
