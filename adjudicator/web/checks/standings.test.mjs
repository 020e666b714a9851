import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until, visit } from './hall.mjs';

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
