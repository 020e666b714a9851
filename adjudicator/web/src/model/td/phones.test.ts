import { expect, it } from 'vitest';
import { phonesToLookAt } from './phones';
import type { Device } from './wire';

const device = (person: string, is_connected: boolean, sounds: boolean, more: Partial<Device> = {}): Device => ({
  device: 1, person, rank: 'floor', scope: { sections: [], tables: [] }, label: '', paired_ms: 0, until_ms: 0, works: true, ready: { is_connected, sounds }, ...more,
});

it('phones that are not connected or do not sound are named, and the best of several counts', () => {
  const all = [device('Ann', true, true), device('Ben', true, false), device('Cleo', false, false), device('Ann', false, false), device('Dan', false, false, { works: false }), device('Sue', false, false, { rank: 'scorekeeper' })];
  expect(phonesToLookAt(all)).toEqual(['Ben: ▲ online without sound: touch Sound on its list', 'Cleo: ▲ not connected: open the directors’ pages on it']);
  expect(phonesToLookAt([device('Ann', true, true, { ready: null })])).toEqual([]);
});
