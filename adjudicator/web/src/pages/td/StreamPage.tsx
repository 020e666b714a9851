/** What the stream shows: its automatic director chooses, or a person does. */
import { useEffect, useState } from 'preact/hooks';
import { get } from '../../live/td/server';
import { type Round, roundFromSnapshot } from '../../model/round';
import { tableState } from '../../model/tablestate';
import type { Me } from '../../model/td/wire';
import { opponents, roundSnapshot } from '../../model/wire';
import { Outcomes, TdBar } from './TdBar';
import { useDesk } from './useDesk';

const LOOK_EVERY_MS = 2_000;

/** Addresses for a browser source in OBS. */
const SCENES: readonly (readonly [string, string])[] = [
  ['/overlay/auto', 'the table worth showing'],
  ['/overlay/match?table=1', 'both boards of a table'],
  ['/overlay/board?table=1&board=B', 'one board'],
  ['/overlay/multi?tables=1,2', 'several tables'],
  ['/overlay/result?table=1', 'how a match ended'],
  ['/overlay/standings', 'standings; ?section=…'],
  ['/overlay/ticker', 'standings in a line; ?section=…'],
  ['/overlay/next', 'who plays next; ?section=…'],
];

export function StreamPage({ me, lost }: { readonly me: Me; readonly lost: () => void }) {
  const desk = useDesk(null, lost);
  const [round, setRound] = useState<Round | null>(null);
  useEffect(() => {
    const look = () => void get('/api/v1/td/round', roundSnapshot).then((found) => setRound(roundFromSnapshot(found)), () => undefined);
    look();
    const timer = window.setInterval(look, LOOK_EVERY_MS);
    return () => window.clearInterval(timer);
  }, [desk.outcomes]);
  const chosen = round?.tables.find(({ on_stream }) => on_stream)?.table ?? null;
  const show = (table: string | null, label: string) => desk.act({ of: 'show', table }, label);
  return (
    <main class="td">
      <TdBar title="Stream" me={me} desk={desk} />
      <Outcomes desk={desk} />
      <p class="td-soft">Scenes at /overlay/auto follow this, each as late as it shows the tables.</p>
      <details>
        <summary>Addresses of the scenes</summary>
        <ul class="addresses">
          {SCENES.map(([path, words]) => (
            <li key={path}>
              <a href={path}>{window.location.origin + path}</a> {words}
            </li>
          ))}
        </ul>
      </details>
      <ol class="needs" data-testid="on-stream" data-chosen={chosen ?? ''}>
        <li class="need">
          <span class="need-words">
            <span class="need-where">Automatic director</span>
            <span class="need-what">{chosen === null ? 'chooses' : 'does not choose'}</span>
          </span>
          <button aria-pressed={chosen === null} onClick={() => show(null, 'the automatic director chooses')}>Let it choose</button>
        </li>
        {(round?.tables ?? []).map((table) => (
          <li key={table.table} class="need" data-table={table.table}>
            <span class="need-words">
              <span class="need-where">{table.label}</span>
              <span class="need-what">{opponents(table)}</span>
              <span class="need-when">{tableState(table).words}</span>
            </span>
            <button aria-pressed={chosen === table.table} onClick={() => show(table.table, `${table.label} on the stream`)}>
              {chosen === table.table ? 'On the stream' : 'Show'}
            </button>
          </li>
        ))}
      </ol>
    </main>
  );
}
