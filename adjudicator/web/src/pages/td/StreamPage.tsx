/** Table on the stream: its automatic director chooses it, or a person does. */
import { useEffect, useState } from 'preact/hooks';
import { t } from '../../language/td';
import { get } from '../../live/td/server';
import { type Round, roundFromSnapshot } from '../../model/round';
import { tableState } from '../../model/tablestate';
import type { Me } from '../../model/td/wire';
import { labelOf, opponents } from '../../model/names';
import { roundSnapshot } from '../../model/wire';
import { Outcomes, TdBar } from './TdBar';
import { useDesk } from './useDesk';

const LOOK_EVERY_MS = 2_000;

/** Addresses for a browser source in OBS. */
const SCENES: readonly (readonly [string, string])[] = [
  ['/overlay/auto', t('the table worth showing')],
  ['/overlay/match?table=1', t('both boards of a table')],
  ['/overlay/board?table=1&board=B', t('one board')],
  ['/overlay/multi?tables=1,2', t('several tables')],
  ['/overlay/result?table=1', t('how a match ended')],
  ['/overlay/standings', t('standings; ?section=…')],
  ['/overlay/ticker', t('standings in a line; ?section=…')],
  ['/overlay/next', t('who plays next; ?section=…')],
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
      <TdBar title={t('Stream')} me={me} desk={desk} />
      <Outcomes desk={desk} />
      <p class="td-soft">{t('Scenes at /overlay/auto follow this, each as late as it shows the tables.')}</p>
      <details>
        <summary>{t('Addresses of the scenes')}</summary>
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
            <span class="need-where">{t('Automatic director')}</span>
            <span class="need-what">{chosen === null ? t('chooses') : t('does not choose')}</span>
          </span>
          <button aria-pressed={chosen === null} onClick={() => show(null, t('the automatic director chooses'))}>{t('Let it choose')}</button>
        </li>
        {(round?.tables ?? []).map((table) => (
          <li key={table.table} class="need" data-table={table.table}>
            <span class="need-words">
              <span class="need-where">{labelOf(table)}</span>
              <span class="need-what">{opponents(table)}</span>
              <span class="need-when">{tableState(table).words}</span>
            </span>
            <button aria-pressed={chosen === table.table} onClick={() => show(table.table, t('{label} on the stream', { label: labelOf(table) }))}>
              {chosen === table.table ? t('On the stream') : t('Show')}
            </button>
          </li>
        ))}
      </ol>
    </main>
  );
}
