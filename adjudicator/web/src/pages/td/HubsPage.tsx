/** Hubs from the box to ready: a new one is accepted with the code on its console, and its nodes get their places. For the chief. */
import '../../style/hubs.css';
import { useEffect, useState } from 'preact/hooks';
import { t, tx } from '../../language/td';
import { get, post } from '../../live/td/server';
import { type AskingHub, type HubLine, type HubList, type HubNode, acceptedHub, hubList } from '../../model/td/api';
import { type Boards, type Proposal, boardsOf, exchanged, placed, places, proposal, waiting } from '../../model/td/hubs';
import type { Me } from '../../model/td/wire';
import { Sure } from './Sure';
import { Outcomes, TdBar } from './TdBar';
import { useDesk } from './useDesk';

const LOOK_EVERY_MS = 1_500;
/** A code with the characters that people type in between. */
const CODE_MAX = 16;

type Place = (hub: string, table: string, nodes: readonly (readonly [string, string])[]) => void;

export function HubsPage({ me, lost }: { readonly me: Me; readonly lost: () => void }) {
  const desk = useDesk(null, lost);
  const [list, setList] = useState<HubList | null>(null);
  const [section, setSection] = useState('');
  const [note, setNote] = useState('');
  const failed = (error: unknown) => setNote(error instanceof Error ? error.message : '');
  const look = () => void get('/api/v1/td/hubs', hubList).then(setList, failed);
  useEffect(() => {
    look();
    const timer = window.setInterval(look, LOOK_EVERY_MS);
    return () => window.clearInterval(timer);
  }, []);
  const place: Place = (hub, table, nodes) =>
    void post(`/api/v1/td/hubs/${encodeURIComponent(hub)}/tables`, { table, nodes, section: section === '' ? null : section }, (body) => body).then(() => {
      setNote(nodes.length === 0 ? t('Table {table} is taken from hub {hub}.', { table, hub }) : t('Hub {hub} gets its places at table {table}.', { hub, table }));
      look();
    }, failed);
  const accepted = (hub: string) => {
    setNote(t('Hub {hub} is accepted. It connects within a few seconds.', { hub }));
    look();
  };
  return (
    <main class="td">
      <TdBar title={t('Hubs')} me={me} desk={desk} />
      <Outcomes desk={desk} />
      {note !== '' && <p class="note" role="status">{note}</p>}
      {list?.swapped.map((words) => (
        <p key={words} class="note" role="alert" data-testid="swapped" lang="en">{words}</p>
      ))}
      {list !== null && <Accept list={list} accepted={accepted} failed={failed} />}
      {list !== null && list.sections.length > 1 && (
        <label>
          {t('Which section’s time and rules a table gets that is placed now')}
          <select value={section} onChange={(change) => setSection(change.currentTarget.value)}>
            <option value="">{t('That of the table')}</option>
            {list.sections.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      )}
      <ol class="needs" data-testid="hubs">
        {list?.hubs.map((hub) => (
          <Hub key={hub.hub} of={hub} free={list.free_tables} place={place} />
        ))}
      </ol>
      {list !== null && list.hubs.length + list.asking.length === 0 && <p class="note">{t('No hub is connected yet. Plug one in: it appears here by itself.')}</p>}
    </main>
  );
}

function Accept({ list, accepted, failed }: { readonly list: HubList; readonly accepted: (hub: string) => void; readonly failed: (error: unknown) => void }) {
  const [code, setCode] = useState('');
  if (!list.accepts) return <p class="td-soft">{t('New hubs may not ask here: set accept = true under [hubs] in the adjudicator’s configuration, and start it again.')}</p>;
  const accept = (event: Event) => {
    event.preventDefault();
    void post('/api/v1/td/hubs/accept', { code }, acceptedHub).then(({ hub }) => {
      setCode('');
      accepted(hub);
    }, failed);
  };
  return (
    <form class="hub-code" onSubmit={accept}>
      <label>
        {t('Code on the new hub’s console')}
        <input value={code} maxLength={CODE_MAX} autocomplete="off" autocapitalize="characters" spellcheck={false} onInput={(input) => setCode(input.currentTarget.value)} />
      </label>
      <button class="strong" type="submit" disabled={code.trim() === ''}>{t('Accept')}</button>
      {list.asking.length > 0 && (
        <ul class="td-soft" data-testid="asking">
          {list.asking.map((hub) => (
            <li key={hub.hub + hub.since_ms}>{askingWords(hub)}</li>
          ))}
        </ul>
      )}
    </form>
  );
}

const askingWords = ({ hub, machine, address }: AskingHub) => t('Hub {hub} asks ({machine}, {address})', { hub, machine, address });

function Hub({ of: hub, free, place }: { readonly of: HubLine; readonly free: readonly string[]; readonly place: Place }) {
  const [changed, setChanged] = useState<Proposal | null>(null);
  const nodes = waiting(hub);
  const tables = placed(hub);
  const state = !hub.is_online ? t('▲ Offline') : hub.is_waited_for ? t('Its nodes are being placed…') : t('● Online');
  const again = (table: string, of: readonly HubNode[]) => setChanged({ table, boards: boardsOf(of) });
  const shown = changed ?? proposal(hub);
  const editing = changed === null ? nodes : [...nodes, ...hub.nodes.filter((node) => node.node in changed.boards && !nodes.includes(node))];
  return (
    <li class="need hub-line" data-hub={hub.hub} data-online={String(hub.is_online)}>
      <span class="need-words">
        <span class="need-where">{t('Hub {hub}', { hub: hub.hub })}</span>
        <span class="need-when">{state}</span>
      </span>
      {hub.refused !== '' && <p class="note" role="alert" lang="en">{hub.refused}</p>}
      {tables.map(([table, at]) => (
        <div key={table} class="hub-table" data-table={table}>
          <span>
            {tx('Table {table}', { table })} <span class="td-soft">{at.map(nodeWords).join(', ')}</span>
          </span>
          {at.some((node) => node.by_file) ? (
            <em>{t('by the hub’s own configuration, which holds')}</em>
          ) : (
            <>
              <button disabled={!hub.is_online} onClick={() => again(table, at)}>{t('Place again')}</button>
              <Sure label={t('Take away')} says={t('its sensors follow nothing any more')} disabled={!hub.is_online} act={() => place(hub.hub, table, [])} />
            </>
          )}
        </div>
      ))}
      {hub.is_online && !hub.is_waited_for && editing.length > 0 && (
        <Places
          key={editing.map((node) => node.node).join()}
          hub={hub.hub}
          nodes={editing}
          tables={[...new Set([shown.table, ...tables.map(([table]) => table), ...free])].filter(Boolean)}
          shown={shown}
          change={setChanged}
          place={() => {
            place(hub.hub, shown.table, places(hub, shown));
            setChanged(null);
          }}
        />
      )}
      {hub.is_online && hub.nodes.length === 0 && <p class="td-soft">{t('No board and no clock is plugged in at this hub.')}</p>}
    </li>
  );
}

const nodeWords = ({ node, board, is_present }: HubNode) => (is_present ? t('{board}: {node}', { board: board ?? '', node }) : t('{board}: {node} (not plugged in)', { board: board ?? '', node }));

interface PlacesProps {
  readonly hub: string;
  readonly nodes: readonly HubNode[];
  readonly tables: readonly string[];
  readonly shown: Proposal;
  readonly change: (to: Proposal) => void;
  readonly place: () => void;
}

function Places({ hub, nodes, tables, shown: { table, boards }, change, place }: PlacesProps) {
  const at = (node: string, board: string): Boards => {
    const { [node]: _, ...others } = boards;
    return board === 'A' || board === 'B' ? { ...others, [node]: board } : others;
  };
  return (
    <form
      class="fields"
      aria-label={t('Places of hub {hub}', { hub })}
      onSubmit={(event) => {
        event.preventDefault();
        place();
      }}
    >
      <label>
        {t('Table')}
        <select value={table} onChange={(event) => change({ table: event.currentTarget.value, boards })}>
          {tables.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {nodes.map(({ node, kind }) => (
        <label key={node}>
          {kind === 'board' ? t('Board {node}', { node }) : t('Clock {node}', { node })}
          <select value={boards[node] ?? ''} onChange={(event) => change({ table, boards: at(node, event.currentTarget.value) })}>
            <option value="A">{t('Board A')}</option>
            <option value="B">{t('Board B')}</option>
            <option value="">{t('Not here')}</option>
          </select>
        </label>
      ))}
      <button class="strong" type="submit" disabled={table === '' || Object.keys(boards).length === 0}>{table === '' ? t('Place') : t('Place at table {table}', { table })}</button>
      <button type="button" onClick={() => change({ table, boards: exchanged(boards) })}>{t('Exchange A and B')}</button>
      {table === '' && <p class="td-soft">{t('Every table has its sensors, or the event has no tables yet: import a list with the tables of the hall on Event.')}</p>}
    </form>
  );
}
