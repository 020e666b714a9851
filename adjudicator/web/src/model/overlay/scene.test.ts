import { describe, expect, it } from 'vitest';
import { table } from '../fixtures/samples';
import { MULTI_MAX, sceneOf, tableOf, tablesOf } from './scene';

const named = (name: string, section: string | null = null) => table({ table: name, section, match: `m${name}` });

describe('scenes of the stream', () => {
  it('are named by their address, and no other is known', () => {
    expect(sceneOf('board', '?table=3&board=B&theme=light')).toMatchObject({ kind: 'board', table: '3', board: 'B', theme: 'light' });
    expect(sceneOf('match', '', 'light')?.theme).toBe('light');
    for (const kind of [undefined, '', 'admin']) expect(sceneOf(kind, '')).toBeNull();
  });

  it('show the tables that are asked for in their order, and not too many', () => {
    const tables = Array.from({ length: 20 }, (_, index) => named(String(index + 1)));
    const multi = (query: string) => tablesOf(sceneOf('multi', query)!, tables).map(({ table: name }) => name);
    expect(multi('?tables=7, 2,99')).toEqual(['7', '2']);
    expect(multi('')).toHaveLength(MULTI_MAX);
  });

  it('keep to their section', () => {
    const tables = [named('1', 'K-3'), named('2', 'K-6')];
    expect(tableOf(sceneOf('match', '?section=K-6')!, tables)?.table).toBe('2');
    expect(tableOf(sceneOf('match', '?table=9')!, tables)).toBeNull();
  });
});
