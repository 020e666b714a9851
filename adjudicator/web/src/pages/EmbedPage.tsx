/** One table for another site's frame: boards, clocks, result, and nothing around them but the way here. */
import '../style/embed.css';
import { t } from '../language/language';
import { HallTime } from '../components/HallTime';
import { LineState } from '../components/LineState';
import { TableTile } from '../components/TableTile';
import { delays } from '../model/round';
import { useSharedRound } from './usePicture';

/** `/embed/round` shows all tables, `/embed/table/{table}` one of them. */
export function EmbedPage({ path }: { readonly path: readonly string[] }) {
  const { picture, time } = useSharedRound('frames');
  const [kind, name] = path;
  const all = picture.round?.tables ?? [];
  const tables = kind === 'table' ? all.filter(({ table }) => table === name) : all;
  const missing = picture.round !== null && tables.length === 0;
  return (
    <HallTime.Provider value={time}>
      <div class="embed" data-testid="embed" onClick={outside}>
        <main class="tiles" style={{ '--tables': Math.max(1, tables.length) }}>
          <h1 class="unseen">{picture.round?.event.name ?? 'Twinboard'}</h1>
          {tables.map((table) => (
            <TableTile key={table.table} table={table} />
          ))}
        </main>
        {missing && <p class="note" role="status">{kind === 'table' ? t('Table {name} is not connected.', { name: name ?? '' }) : t('No table is connected yet.')}</p>}
        <footer>
          <a href="/" target="_blank" rel="noopener">
            {picture.round?.event.name ?? 'Twinboard'}
          </a>
          <LineState line={picture.line} delays={delays(picture.round)} />
        </footer>
      </div>
    </HallTime.Provider>
  );
}

/** A match opens beside the site that shows this, not inside its frame. */
function outside(event: MouseEvent) {
  const link = (event.target as Element).closest('a');
  if (link !== null) link.target = '_blank';
}
