import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visit } from './hall.mjs';
import { faults } from './languages.mjs';

const CHILD = {
  now_ms: 1_000_000, event: 'Autumn Open', name: 'Your child', section: 'K-6', number: 5, team: 'Lions', points: 1.5, is_provisional: true, announcements: [], starts_ms: 1_600_000,
  rounds: [
    { round: 1, state: 'bye', table: null, board: null, color: null, as_paired: false, against: null, result: null, confirmed: false, clock: null, ends: null },
    { round: 2, state: 'over', table: '1', board: 'A', color: 'White', as_paired: true, against: 'Otters', result: '1-0', confirmed: false, clock: null, ends: null },
    { round: 3, state: 'playing', table: '3', board: 'B', color: 'Black', as_paired: true, against: 'Bears', result: null, confirmed: false, clock: { left_ms: 90_000, runs: true, read_at_ms: 999_000 }, ends: { latest_ms: 1_300_000, likely_ms: 1_200_000, range_ms: [1_100_000, 1_250_000] } },
  ],
};

test('no page shows a text that is in no catalogue, and none is wider than a phone at +40 %', () =>
  visit({ tables: 3, rate: 20, skip: 30 }, async ({ open, mock }) => {
    const { match } = mock.hall.round().tables[0];
    const first = await open('/td');
    const context = first.context();
    await first.close();
    await context.route('**/api/v1/child', (route) => route.fulfill({ json: CHILD }));
    const pages = [
      '/', '/?projector=1', '/?section=nobody', '/table/1', '/table/99', `/match/${match}`, `/match/${match}/sheet`, `/match/${match}/replay`, '/match/0', '/standings', '/pairings',
      '/pairings?by=table', '/child#key', '/at-table#key', '/screen', '/td', '/td#code', '/overlay/match?table=1', '/overlay/standings', '/overlay/next', '/overlay/result?table=1', '/embed/table/99',
    ];
    const known = await Promise.all(['round', 'event', 'standings?section=K-6'].map(async (path) => (await fetch(`${mock.address}/api/v1/${path}`)).json()));
    const found = await faults(context, mock.address, pages, known);
    assert.deepEqual(found, []);
  }));

test('the language is the address’s, then the one that was chosen, then the browser’s', () =>
  visit({ tables: 1 }, async ({ open, mock }) => {
    const page = await open('/', { locale: 'es-MX' });
    await page.getByRole('link', { name: 'Emparejamientos' }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'es');
    await page.getByTestId('language').selectOption('de');
    await page.getByRole('link', { name: 'Auslosung' }).waitFor();
    await page.goto(`${mock.address}/standings`);
    await page.getByRole('heading', { name: 'Tabelle', exact: true }).waitFor();
    await page.goto(`${mock.address}/?lang=en`);
    await page.getByRole('link', { name: 'Pairings' }).waitFor();
    // An embedded table is in the language that its site asks for, and changes nothing for the person.
    await page.goto(`${mock.address}/embed/table/99?lang=es`);
    await page.getByText('La mesa 99 no está conectada.').waitFor();
    await page.goto(mock.address);
    await page.getByRole('link', { name: 'Pairings' }).waitFor();
  }));
