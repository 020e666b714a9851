/** The round at a glance: every table with its boards, clocks and state. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Language } from '../components/Language';
import { noted, t, tx } from '../language/language';
import { First } from '../components/First';
import { DenseList } from '../components/DenseList';
import { HallTime } from '../components/HallTime';
import { LineState } from '../components/LineState';
import { Notices } from '../components/Notices';
import { TableTile } from '../components/TableTile';
import { EDGE_LEAST_PX, type TileShape, edgesIn, fitGrid } from '../model/grid';
import { delays } from '../model/round';
import { matchesSearch, sections } from '../model/tablestate';
import type { Table } from '../model/wire';
import { ClockRate } from '../components/ClockRate';
import { asList, keepShape } from '../model/shape';
import { useProjector } from './useProjector';
import { usePicture } from './usePicture';
import { useRoom } from './useRoom';

const SHAPE_KEPT = 'twinboard.overview.shape';

export function Overview() {
  const { picture, time } = usePicture({ kind: 'round' });
  const [typed, setTyped] = useState('');
  const [section, setSection] = useState(() => new URLSearchParams(window.location.search).get('section') ?? '');
  const projector = useProjector();
  const [chosen, setChosen] = useState(() => localStorage.getItem(SHAPE_KEPT));
  const round = picture.round;
  const all = round?.tables ?? [];
  const known = sections(all);
  const tables = all.filter((table) => (section === '' || table.section === section) && matchesSearch(table, typed));
  const list = !projector && asList(window.location.search, chosen, window.innerWidth, all.length);
  document.title = round === null ? 'Twinboard' : t('{name} – Twinboard', { name: round.event.name });

  return (
    <HallTime.Provider value={time}>
      <div class={`overview${projector ? ' projector' : ''}`}>
        <header class="bar">
          <h1>{round?.event.name ?? 'Twinboard'}</h1>
          <span class="spread" />
          {!projector && known.length > 1 && (
            <select aria-label={t('Section')} value={section} onChange={(event) => setSection(event.currentTarget.value)}>
              <option value="">{t('All sections')}</option>
              {known.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
          {!projector && (
            <input
              type="search"
              placeholder={t('Table, team, name')}
              aria-label={t('Find a table or team')}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          )}
          {!projector && all.length > 1 && (
            <button aria-pressed={list} data-testid="as-list" onClick={() => setChosen(keepShape(SHAPE_KEPT, !list))}>
              {t('List')}
            </button>
          )}
          {!projector && (
            <a class="button" href="/pairings">
              {t('Pairings')}
            </a>
          )}
          {!projector && (
            <a class="button" href="/standings">
              {t('Standings')}
            </a>
          )}
          {!projector && (
            <a class="button wide-only" href="/?projector=1">
              {t('Projector')}
            </a>
          )}
          {!projector && <Language />}
          <ClockRate rate={round?.clock_rate ?? 1} />
          <LineState line={picture.line} delays={delays(round)} />
        </header>
        <Notices section={section} />
        {picture.note !== null && (
          <p class="note" role="alert">
            {noted(picture.note)}
          </p>
        )}
        {round === null && picture.note === null && <First />}
        {round !== null && tables.length === 0 && <p class="note" role="status">{emptyWords(all, typed)}</p>}
        {projector ? <Pages tables={tables} /> : list ? <DenseList tables={tables} /> : <Grid tables={tables} of={all.length} />}
      </div>
    </HallTime.Provider>
  );
}

function emptyWords(all: readonly Table[], typed: string): string {
  if (all.length === 0) return t('No table is connected yet. Tables appear here by themselves.');
  return typed === '' ? t('No table in this section.') : t('No table answers to “{typed}”.', { typed });
}

/** Height of a tile's parts without a projector: head, strips and borders, by the style sheet's sizes. */
const AROUND_PX = 94;
const TILE: TileShape = {
  heightFor: (width) => (width - 26) / 2 + AROUND_PX,
  gap_px: 8,
  narrowest_px: 304,
};

/** `of` is how many tables there are in all, found or not: nothing changes its size during a search. */
function Grid({ tables, of }: { readonly tables: readonly Table[]; readonly of: number }) {
  const { room, size } = useRoom();
  const grid = fitGrid(Math.max(1, of), size.width, size.height, TILE);
  const fitted = grid.columns * grid.rows >= of && grid.tile_px >= TILE.narrowest_px;
  return (
    <main
      class="tiles"
      ref={room}
      data-testid="tiles"
      data-tables={tables.length}
      data-fitted={String(fitted)}
      style={{ '--columns': grid.columns, '--tile': `${grid.tile_px}px` }}
    >
      {tables.map((table) => (
        <TableTile key={table.table} table={table} />
      ))}
    </main>
  );
}

/** A projector turns a page this often; long enough to find one's table and read it. */
const TURN_EVERY_MS = 12_000;
const GAP_PX = 12;
/** Head and borders of a tile, by the style sheet's sizes for projectors. */
const HEAD_PX = 40 + 12;
const boards_px = (width: number) => (width - 38) / 2;
const SHAPE: TileShape = {
  heightFor: (width) => boards_px(width) + HEAD_PX + 2 * Math.min(72, Math.max(EDGE_LEAST_PX, width * 0.085)),
  gap_px: GAP_PX,
  narrowest_px: 360,
};

/** Number of tables that can be read from the back of the hall; the others follow on further pages. */
function Pages({ tables }: { readonly tables: readonly Table[] }) {
  const room = useRef<HTMLElement>(null);
  const [size, setSize] = useState({ width: window.innerWidth, height: window.innerHeight - 60 });
  const [turned, setTurned] = useState(0);
  useLayoutEffect(() => {
    if (room.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => entry && setSize(entry.contentRect));
    observer.observe(room.current);
    return () => observer.disconnect();
  }, []);

  const grid = fitGrid(Math.max(1, tables.length), size.width, size.height, SHAPE);
  const each = grid.columns * grid.rows;
  const room_px = (size.height - GAP_PX * (grid.rows - 1)) / grid.rows - HEAD_PX - boards_px(grid.tile_px);
  const edges = edgesIn(room_px / 2, boards_px(grid.tile_px));
  const pages = Math.max(1, Math.ceil(tables.length / each));
  const page = turned % pages;
  useLayoutEffect(() => {
    if (pages < 2) return undefined;
    const timer = window.setInterval(() => setTurned((before) => before + 1), TURN_EVERY_MS);
    return () => window.clearInterval(timer);
  }, [pages]);

  return (
    <>
      <main
        class="tiles"
        ref={room}
        data-testid="tiles"
        data-page={page + 1}
        data-pages={pages}
        data-tables={tables.length}
        data-stacked={String(edges.stacked)}
        style={{ '--tile': `${grid.tile_px}px`, '--strip': `${edges.clock_px}px`, '--held': `${edges.held_px}px` }}
      >
        {tables.slice(page * each, (page + 1) * each).map((table) => (
          <TableTile key={table.table} table={table} />
        ))}
      </main>
      {pages > 1 && (
        <footer class="page-number">
          {tx('Page {page} of {pages}', { page: page + 1, pages })}
        </footer>
      )}
    </>
  );
}
