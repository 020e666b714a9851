import { expect, it } from 'vitest';
import { GONE_AFTER_MS, STILL_GONE_EVERY_MS, Watch } from './watch';
import type { Me, Need } from './wire';

const need = (id: string, more: Partial<Need> = {}): Need => ({
  id, urgency: 'claim', table: '1', label: 'Table 1', section: null, round: null, pairing: null, match: null, board: null, what: '', detail: '', rule: null, about: null, ply: null,
  confidence: null, silent: false, since_ms: 0, taken: null, level: 'floor', is_earlier: false, ...more,
});

const me = (rank: Me['rank']): Me => ({ device: 1, person: 'Ann', rank, scope: { sections: [], tables: [] }, until_ms: 0 });
const ids = (needs: readonly Need[]) => needs.map(({ id }) => id);

it('what has called once does not call again, on whichever page it is heard', () => {
  const watch = new Watch();
  const heard = (...needs: Need[]) => ids(watch.heard(me('floor'), needs));
  expect(heard(need('one'))).toEqual(['one']);
  expect(heard(need('one'))).toEqual([]);
  expect(heard(need('one'), need('two'))).toEqual(['two']);
  expect(heard(need('two'))).toEqual([]);
  expect(heard(need('one'), need('two')), 'it was away and is there again').toEqual(['one']);
});

it('a page that is loaded again calls nobody twice', () => {
  const kept = new Map<string, string>();
  const tab = { getItem: (name: string) => kept.get(name) ?? null, setItem: (name: string, value: string) => void kept.set(name, value) };
  expect(ids(new Watch(tab).heard(me('floor'), [need('one')]))).toEqual(['one']);
  expect(ids(new Watch(tab).heard(me('floor'), [need('one'), need('two')]))).toEqual(['two']);
});

it('nothing silent calls, nothing of other tables, and nothing a scorekeeper', () => {
  const silent = need('silent', { urgency: 'silent', silent: true });
  const theirs = { ...me('floor'), scope: { sections: [], tables: ['2'] } };
  expect(ids(new Watch().heard(me('floor'), [silent]))).toEqual([]);
  expect(ids(new Watch().heard(theirs, [need('one')]))).toEqual([]);
  expect(ids(new Watch().heard(me('scorekeeper'), [need('one')]))).toEqual([]);
});

it('what is about the match that is looked at does not call, and not later either', () => {
  const watch = new Watch();
  const needs = [need('here', { match: 'm1' }), need('there', { match: 'm2' })];
  expect(ids(watch.heard(me('floor'), needs, 'm1'))).toEqual(['there']);
  expect(ids(watch.heard(me('floor'), needs))).toEqual([]);
});

it('what nobody takes calls the next level when it gets there', () => {
  const watch = new Watch();
  const heard = (level: Need['level']) => ids(watch.heard(me('chief'), [need('one', { level })]));
  expect(heard('floor')).toEqual([]);
  expect(heard('section-chief')).toEqual([]);
  expect(heard('chief')).toEqual(['one']);
  expect(heard('chief')).toEqual([]);
});

it('a line that is gone calls after a while, again from time to time, and not once it is back', () => {
  const watch = new Watch();
  const at = (second: number, isLive: boolean) => watch.isLineToBeCalled(isLive, second * 1000);
  const called = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index).filter((second) => at(second, false));
  expect(at(0, true)).toBe(false);
  const first = 1 + GONE_AFTER_MS / 1000;
  expect(called(1, 120)).toEqual([first, first + STILL_GONE_EVERY_MS / 1000]);
  expect(at(120, true)).toBe(false);
  expect(called(121, 124), 'it was away for a moment').toEqual([]);
});
