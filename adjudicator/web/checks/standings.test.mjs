import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until, visit } from './hall.mjs';
import { barriers } from './reach.mjs';

const PHONE = { width: 360, height: 740, hasTouch: true, isMobile: true };

test('standings tell how each number came about, who met whom, and how it stood after a round', () =>
  visit({ tables: 1 }, async ({ open }) => {
    const page = await open('/', PHONE);
    await page.getByRole('link', { name: 'Standings' }).click();
    const lines = page.getByTestId('standings').locator('tbody tr');
    await lines.first().waitFor();
    assert.deepEqual(await lines.locator('th').allTextContents(), ['Lions', 'Bears', 'Wolves', 'Otters']);
    // Wherever a line is touched: at its points, too.
    await lines.nth(1).locator('td').nth(1).click();
    const explained = page.getByTestId('explained');
    assert.match(await explained.innerText(), /Bears[\s\S]*U\.S\. Amateur Team[\s\S]*round 1, Otters[\s\S]*Round 2: Lions – Bears/);
    // In the crosstable the opponents are named by their ranks, in the wall chart by their pairing numbers.
    const charts = page.locator('table.chart');
    const row = (chart, at) => charts.nth(chart).locator('tbody tr').nth(at).locator('td').allTextContents();
    assert.deepEqual(await row(0, 0), ['1', 'W 3', 'D 2', '1.5']);
    assert.deepEqual(await row(1, 0), ['1', 'W 4', 'D 3', '1.5']);
    await page.getByLabel('After which round').selectOption('1');
    await until('the first round', async () => (await page.locator('h2').first().innerText()).includes('after round 1'));
    await page.getByLabel('Section').selectOption('Ladder');
    await page.getByTestId('clubs').waitFor();
    assert.deepEqual(await page.getByTestId('clubs').locator('tbody th').allTextContents(), ['North', 'South']);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wider <= 0, `${wider} pixels wider than the phone`);
  }));

test('standings and score sheets are black on white on paper, without what is for fingers', () =>
  visit({ tables: 1, skip: 60 }, async ({ open, mock }) => {
    const round = await (await fetch(`${mock.address}/api/v1/round`)).json();
    for (const path of ['/standings', `/match/${round.tables[0].match}/sheet`]) {
      const page = await open(path, { colorScheme: 'dark' });
      await page.locator('table').first().waitFor();
      await page.emulateMedia({ media: 'print' });
      const of = (selector, property) => page.locator(selector).first().evaluate((element, name) => getComputedStyle(element)[name], property);
      assert.equal(await of('.bar', 'display'), 'none', path);
      assert.equal(await of('table td', 'color'), 'rgb(0, 0, 0)', path);
    }
  }));

test('a side reports with three touches, and a director is called from the same page', () =>
  visit({ tables: 1 }, async ({ open, mock }) => {
    const page = await open('/at-table#secret', PHONE);
    await page.getByRole('button', { name: 'We are Pine Pawns' }).tap();
    await page.getByRole('button', { name: 'Harbor Hawks won' }).tap();
    await page.getByRole('button', { name: 'Confirm: Harbor Hawks wins' }).tap();
    await page.getByTestId('stands').filter({ hasText: 'Pine Pawns reports 1-0. Harbor Hawks has yet to report.' }).waitFor();
    assert.deepEqual(mock.hall.at_table.pairings[0].reports, [null, '1-0']);
    // Over a lost network it waits, and is sent once.
    mock.outage(1_500);
    await page.getByRole('button', { name: 'Call a director' }).tap();
    await page.getByRole('button', { name: 'Touch once more' }).tap();
    await page.getByTestId('outcome').filter({ hasText: 'Being sent' }).waitFor();
    await page.getByTestId('call').filter({ hasText: 'A director is called' }).waitFor();
    assert.deepEqual(await barriers(page, 'at the table'), []);
  }));

test('a screen shows its number, then what the desk gives it, and loads it again after an outage', () =>
  visit({ tables: 2, rate: 4 }, async ({ open, mock }) => {
    const page = await open('/screen', { width: 1920, height: 1080 });
    await page.getByRole('heading', { name: 'Screen 3' }).waitFor();
    for (const show of ['countdown', 'announcer']) {
      mock.hall.screen_shows = { show };
      await page.getByTestId(show).waitFor();
      assert.deepEqual(await barriers(page, show), []);
    }
    mock.hall.screen_shows = { show: 'overview' };
    const shown = page.frameLocator('iframe').locator('.tile').first();
    await shown.waitFor();
    await page.evaluate(() => (document.querySelector('iframe').dataset.old = 'yes'));
    // As after eleven seconds without an answer.
    await page.clock.install();
    await page.clock.fastForward(11_000);
    await page.locator('iframe:not([data-old])').waitFor();
    await shown.waitFor();
  }));
