import { describe, expect, it } from 'vitest';
import type { HubLine, HubNode } from './api';
import { exchanged, firmwareOf, placed, places, proposal, waiting } from './hubs';

const node = (name: string, board: 'A' | 'B' | null, table: string | null = null): HubNode => ({
  node: name,
  kind: name.startsWith('board') ? 'board' : 'clock',
  is_present: true,
  table,
  board,
  by_file: false,
  firmware: '0.1.0',
  image: '',
  is_outdated: false,
});
const hub = (...nodes: HubNode[]): HubLine => ({ hub: 'hub-1', is_online: true, is_waited_for: false, refused: '', guessed_table: '3', nodes });

describe('the places of a hub’s nodes', () => {
  it('are proposed at the next free table', () => {
    const four = hub(node('board-1', 'A'), node('board-2', 'B'), node('clock-1', 'A'), node('clock-2', null));
    expect(proposal(four)).toEqual({ table: '3', boards: { 'board-1': 'A', 'board-2': 'B', 'clock-1': 'A' } });
    expect(exchanged(proposal(four).boards)).toEqual({ 'board-1': 'B', 'board-2': 'A', 'clock-1': 'B' });
  });

  it('are proposed at the hub’s own table where that lacks them', () => {
    const late = hub(node('board-1', 'A', '10'), node('clock-1', 'A'));
    expect(proposal(late).table).toBe('10');
    expect(places(late, proposal(late))).toEqual([['board-1', 'A'], ['clock-1', 'A']]);
    expect(proposal(hub(node('clock-1', 'A', '10'), node('clock-2', 'A'))).table).toBe('3');
    expect(proposal(hub({ ...node('board-1', 'A', '10'), by_file: true }, node('clock-1', 'A'))).table).toBe('3');
  });

  it('are listed by table, and nodes that are unplugged wait for none', () => {
    const of = hub(node('board-1', 'A', '10'), node('board-2', 'A', '2'), { ...node('board-3', null), is_present: false });
    expect(placed(of).map(([table]) => table)).toEqual(['2', '10']);
    expect(waiting(of)).toEqual([]);
  });
});

describe('the firmware of the nodes', () => {
  it('is listed with its image, what is older than its hub’s first', () => {
    const old = { ...node('clock-1', 'A', '10'), firmware: '0.0.9', image: 'pico-clock', is_outdated: true };
    const gone = { ...node('board-2', 'B', '10'), is_present: false, is_outdated: true };
    const stranger = { ...node('board-3', null), firmware: '' };
    expect(firmwareOf([hub(node('board-1', 'A', '10'), old, gone, stranger)])).toEqual({
      lines: ['Table 10 A, clock-1: ▲ pico-clock 0.0.9, older than its hub’s', 'Table 10 A, board-1: 0.1.0'],
      outdated: 1,
    });
  });
});
