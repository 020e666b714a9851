/** Links of tables, by which players report results and call a director. Printed once, revoked by a touch. */
import '../../style/notices.css';
import { useEffect, useState } from 'preact/hooks';
import { get, post } from '../../live/td/server';
import { type Decoded, list, nullable, object, string } from '../../model/decode';
import { type EventSheet, type Me, eventSheet } from '../../model/td/wire';
import { LinkSlips } from './LinkSlips';
import { Sure } from './Sure';
import { Outcomes, TdBar } from './TdBar';
import { useDesk } from './useDesk';

const links = list(object({ table: string, path: string, code: nullable(string) }));

const SAYS = 'When the game is over, each side opens this, touches its name, who won, and Confirm. “Call a director” is there, too.';

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
      <TdBar title="Tables' links" me={me} desk={desk} />
      <Outcomes desk={desk} />
      {note !== '' && <p class="note" role="alert">{note}</p>}
      {made.length > 0 && <LinkSlips made={made.map((link) => ({ ...link, title: `Table ${link.table}`, of: event?.name ?? '' }))} says={SAYS} close={() => setMade([])} />}
      <div class="print-never">
        <p class="td-soft">A link shows one table's pairings, takes the reports of its sides, and calls a director there. A report is provisional until a director confirms it. A new link makes the old one void.</p>
        {without.length > 0 && <Sure label={`Links for ${without.length} without one`} says="to be printed and put on the tables" act={() => make(without)} />}
        <ol class="entrants" data-testid="table-links">
          {event?.tables.map((table) => (
            <li key={table} data-table={table}>
              <span>Table {table} <span class="td-soft">{linked.has(table) ? 'has a link' : 'has none'}</span></span>
              <Sure label={linked.has(table) ? 'New link' : 'Link'} says={linked.has(table) ? 'the old one is void' : 'for this table alone'} act={() => make([table])} />
              {linked.has(table) && <Sure label="Revoke" says="nobody reports or calls by it any more" act={() => desk.act({ of: 'event', deeds: [{ kind: 'table-link-revoked', table }] }, `table ${table}: link revoked`)} />}
            </li>
          ))}
        </ol>
        {event !== null && event.tables.length === 0 && <p class="note">No tables yet: import a list of teams or players on <a href="/td/event">Event</a>, with the tables of the hall.</p>}
      </div>
    </main>
  );
}
