import { describe, expect, it } from 'vitest';
import { table } from '../fixtures/samples';
import type { Table } from '../wire';
import { END_MS, SHOT_MIN_MS, type Shot, direct, interest } from './director';

const NOW = 1_000_000;

/** A table at which White at A has so much time, and so on. */
function playing(name: string, white_ms: number, change: Partial<Table> = {}): Table {
  const sample = table({ table: name, match: `m${name}`, state: 'playing', sensors: 'live', result: null });
  const clock = { white_ms, black_ms: 200_000, running: null, read_at_ms: NOW, delay_left_ms: 0 };
  const { A } = sample.boards;
  if (A === null) throw new Error('the sample has a board A');
  return { ...sample, boards: { A: { ...A, state: 'normal', uncertain: [], clock }, B: null }, ...change };
}

const shot = (name: string, since_ms: number): Shot => ({ table: name, since_ms, reason: '', over_since_ms: null });

describe('the automatic director', () => {
  it('shows the table with the least time and says why', () => {
    const found = direct(null, [playing('1', 100_000), playing('2', 8_000), playing('3', 40_000)], NOW, 1);
    expect(found).toMatchObject({ table: '2', reason: 'ten seconds left' });
  });

  it('does not cut before six seconds, whatever happens elsewhere', () => {
    const tables = [playing('1', 100_000), playing('2', 5_000)];
    expect(direct(shot('1', NOW - SHOT_MIN_MS + 1), tables, NOW, 1)?.table).toBe('1');
    expect(direct(shot('1', NOW - SHOT_MIN_MS), tables, NOW, 1)?.table).toBe('2');
  });

  it('stays where another table is hardly better', () => {
    const checked = playing('2', 100_000);
    const { A } = checked.boards;
    const tables = [playing('1', 100_000), { ...checked, boards: { A: A === null ? null : { ...A, state: 'check' }, B: null } }];
    expect(direct(shot('1', NOW - SHOT_MIN_MS), tables, NOW, 1)?.table).toBe('1');
    expect(direct(shot('1', NOW - 120_000), tables, NOW, 1)?.table).toBe('2');
  });

  it('shows the end of a match before it goes on', () => {
    const result = { winner: 1, board: 'A' as const, reason: 'mate', text: 'Mate', side: null, confirmed: false, confirmed_by: null };
    const tables = [playing('1', 5_000, { result, state: 'ended' }), playing('2', 5_000)];
    const held = direct(shot('1', NOW - 60_000), tables, NOW, 1);
    expect(held).toMatchObject({ table: '1', over_since_ms: NOW });
    expect(direct(held, tables, NOW + END_MS - 1, 1)?.table).toBe('1');
    expect(direct(held, tables, NOW + END_MS, 1)?.table).toBe('2');
  });

  it('shows what a person chose at once, and goes on by itself when that is taken back', () => {
    const tables = [playing('1', 5_000), playing('2', 100_000, { on_stream: true })];
    const held = direct(shot('1', NOW - 1_000), tables, NOW, 1);
    expect(held).toMatchObject({ table: '2', since_ms: NOW, reason: 'chosen by the directors' });
    expect(direct(held, tables, NOW + 60_000, 1)).toMatchObject({ table: '2', since_ms: NOW });
    expect(direct(held, [playing('1', 5_000), playing('2', 100_000)], NOW + 60_000, 1)?.table).toBe('1');
  });

  it('has nothing to show where nobody plays, and leaves a table whose sensors are lost', () => {
    const lost = playing('1', 5_000, { sensors: 'lost' });
    expect(interest(lost, NOW, 1).points).toBe(0);
    expect(direct(null, [lost], NOW, 1)).toBeNull();
    expect(direct(shot('1', NOW - 60_000), [lost, playing('2', 100_000)], NOW, 1)?.table).toBe('2');
  });
});
