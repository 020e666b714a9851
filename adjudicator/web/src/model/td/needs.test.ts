import { describe, expect, it } from 'vitest';
import { ago, arranged, callsFor, pathOf, shareOf, split } from './needs';
import type { Me, Need } from './wire';

const need = (id: string, more: Partial<Need> = {}): Need => ({
  id,
  urgency: 'claim',
  table: '1',
  label: 'Table 1',
  section: 'K-6',
  round: null,
  pairing: null,
  match: 'm1',
  board: 'A',
  what: '',
  detail: '',
  rule: null,
  about: null,
  ply: null,
  confidence: null,
  silent: false,
  since_ms: 0,
  taken: null,
  level: 'floor',
  is_earlier: false,
  ...more,
});
const me: Me = { device: 1, person: 'Ann', rank: 'floor', scope: { sections: ['K-6'], tables: ['9'] }, until_ms: 0 };
const ids = (needs: readonly Need[]) => needs.map(({ id }) => id);

describe('the list of needs', () => {
  it('is mine, my section or all', () => {
    const taken = { person: 'Ben', rank: 'floor' as const, device: 2, at_ms: 0, is_dismissed: false };
    const needs = [need('a'), need('b', { taken }), need('c', { section: 'Open', table: '3' }), need('d', { section: null, table: '9' })];
    expect(ids(shareOf(me, needs, 'mine'))).toEqual(['a', 'd']);
    expect(ids(shareOf(me, needs, 'section'))).toEqual(['a', 'b', 'd']);
    expect(ids(shareOf(me, needs, 'all'))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('does not move under a thumb', () => {
    const needs = [need('new'), need('a'), need('c')];
    expect(ids(arranged(needs, ['a', 'b', 'c'], true))).toEqual(['a', 'c', 'new']);
    expect(ids(arranged(needs, ['a', 'b', 'c'], false))).toEqual(['new', 'a', 'c']);
  });

  it('calls for what is open, and never for what is silent', () => {
    const needs = [need('a'), need('b'), need('s', { silent: true, urgency: 'silent' }), need('e', { urgency: 'evidence' })];
    expect(ids(callsFor(me, needs))).toEqual(['a', 'b']);
  });

  it('shows what is urgent and the latest that players may claim, and keeps the rest behind a touch', () => {
    const silent = Array.from({ length: 8 }, (_, index) => need(`s${index}`, { urgency: 'silent', silent: true, since_ms: index }));
    const { first, later } = split([need('a'), ...silent, need('e', { urgency: 'evidence' })]);
    expect(ids(first)).toEqual(['a', 's5', 's6', 's7']);
    expect(ids(later)).toEqual(['s0', 's1', 's2', 's3', 's4', 'e']);
  });

  it('says how long ago', () => {
    expect([ago(0, 8_200), ago(0, 200_000), ago(0, 7_300_000), ago(5, 0)]).toEqual(['8 s ago', '3 min ago', '2 h ago', '0 s ago']);
  });
});

it('an item leads to its table, or to the match that has left it', () => {
  expect(pathOf(need('a', { ply: 7 }))).toBe('/td/table/1?ply=7');
  expect(pathOf(need('b', { ply: null, is_earlier: true }))).toBe('/td/match/m1');
  expect(pathOf(need('c', { ply: null, urgency: 'result' }))).toBe('/td/match/m1');
  expect(pathOf(need('d', { ply: null, match: null, pairing: 7 }))).toBe('/td/event?pairing=7');
});
