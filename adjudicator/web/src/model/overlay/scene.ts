/** Scene of the stream by its address: `/overlay/{kind}?table=3&theme=dark`. */
import { byTable } from '../wire';
import { isOver } from '../tablestate';
import type { BoardId, Table } from '../wire';

export const KINDS = ['match', 'board', 'multi', 'result', 'standings', 'ticker', 'next', 'auto'] as const;
export type Kind = (typeof KINDS)[number];

export interface Scene {
  readonly kind: Kind;
  readonly table: string | null;
  readonly board: BoardId;
  readonly tables: readonly string[];
  readonly section: string | null;
  readonly theme: 'dark' | 'light';
}

/** More boards than that cannot be read on a stream. */
export const MULTI_MAX = 8;

/** Null: there is no such scene. */
export function sceneOf(kind: string | undefined, query: string, remembered: string | null = null): Scene | null {
  const known = KINDS.find((one) => one === kind);
  if (known === undefined) return null;
  const given = new URLSearchParams(query);
  const tables = (given.get('tables') ?? '').split(',').map((name) => name.trim()).filter(Boolean);
  return {
    kind: known,
    table: given.get('table'),
    board: given.get('board') === 'B' ? 'B' : 'A',
    tables: tables.slice(0, MULTI_MAX),
    section: given.get('section'),
    theme: (given.get('theme') ?? remembered) === 'light' ? 'light' : 'dark',
  };
}

/** The tables that a scene may show: those of its section. */
export function inScene(scene: Scene, tables: readonly Table[]): readonly Table[] {
  return tables.filter(({ section }) => scene.section === null || section === scene.section);
}

/** The table that a scene of one table shows: the one it names, or the first that is played at. */
export function tableOf(scene: Scene, tables: readonly Table[]): Table | null {
  if (scene.table !== null) return tables.find(({ table }) => table === scene.table) ?? null;
  const known = inScene(scene, tables);
  return known.find((table) => table.match !== null && !isOver(table)) ?? known[0] ?? null;
}

/** The tables of a multiboard: those it names in their order, or the first that are played at. */
export function tablesOf(scene: Scene, tables: readonly Table[]): readonly Table[] {
  if (scene.tables.length > 0) return scene.tables.flatMap((name) => tables.filter(({ table }) => table === name));
  const known = [...inScene(scene, tables)].sort(byTable);
  const busy = known.filter((table) => table.match !== null);
  return (busy.length > 0 ? busy : known).slice(0, MULTI_MAX);
}
