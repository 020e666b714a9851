import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { until, visit } from './hall.mjs';

test('the overview shows every table with two boards, four clocks and its state', () =>
  visit({ tables: 10, rate: 4 }, async ({ open, mock }) => {
    const page = await open('/');
    await page.locator('.tile').nth(9).waitFor();
    assert.equal(await page.locator('.tile').count(), 10);
    assert.equal(await page.locator('.tile [data-board]').count(), 20);
    assert.equal(await page.locator('.tile .clock').count(), 40);
    assert.equal(await page.locator('.tile .state-mark svg').count(), 10);
    const lost = page.locator('[data-table="8"]');
    assert.equal(await lost.getAttribute('data-state'), 'lost');
    assert.match(await lost.innerText(), /Sensors lost/);
    const first = page.locator('[data-table="1"] [data-board="A"]');
    assert.equal(await first.getAttribute('data-fen'), mock.hall.tables[0].json().boards.A.fen);
  }));

test('the boards of the overview follow the play', () =>
  visit({ tables: 3, rate: 20, skip: 10 }, async ({ open }) => {
    const page = await open('/');
    const board = page.locator('[data-table="1"] [data-board="A"]');
    const before = await board.getAttribute('data-fen');
    await until('a move on board A', async () => (await board.getAttribute('data-fen')) !== before);
  }));

test('a table is found by its number, its team or its section', () =>
  visit({ tables: 12 }, async ({ open }) => {
    const page = await open('/');
    await page.getByLabel('Find a table or team').fill('12');
    await until('one tile', async () => (await page.locator('.tile').count()) === 1);
    await page.getByLabel('Find a table or team').fill('nobody');
    await page.getByText('No table answers to “nobody”.').waitFor();
    await page.getByLabel('Find a table or team').fill('');
    await page.getByLabel('Section').selectOption('Primary');
    await until('the section’s tiles', async () => (await page.locator('.tile').count()) === 6);
  }));

test('a projector shows a screenful and turns the pages by itself', () =>
  visit({ tables: 40 }, async ({ open }) => {
    const page = await open('/?projector=1', { width: 1920, height: 1080 });
    const tiles = page.getByTestId('tiles');
    await page.locator('.tile').first().waitFor();
    assert.equal(await tiles.getAttribute('data-page'), '1');
    const [box, screen] = [await page.locator('.tile').last().boundingBox(), page.viewportSize()];
    assert.ok(box.y + box.height <= screen.height, 'the last tile is on the screen');
    await until('the second page', async () => (await tiles.getAttribute('data-page')) === '2', 16_000);
    assert.equal(await page.evaluate(() => document.documentElement.scrollHeight > window.innerHeight), false);
  }));

test('eight tables fill a television, and a few fill a laptop, without scrolling', () =>
  visit({ tables: 8 }, async ({ open }) => {
    for (const [width, height] of [[1920, 1080], [1366, 768], [3840, 2160]]) {
      const page = await open('/', { width, height });
      await page.locator('.tile').nth(7).waitFor();
      const boxes = await Promise.all((await page.locator('.tile').all()).map((tile) => tile.boundingBox()));
      const right = Math.max(...boxes.map((box) => box.x + box.width));
      const bottom = Math.max(...boxes.map((box) => box.y + box.height));
      assert.ok(right <= width && bottom <= height, `to ${right}, ${bottom} of ${width}, ${height}`);
      // In one direction there is no room for larger tiles.
      assert.ok(right > 0.97 * width || bottom > 0.9 * height, `to ${right}, ${bottom} of ${width}, ${height}`);
      await page.close();
    }
  }));

test('the overview is never wider than the screen', () =>
  visit({ tables: 4 }, async ({ open }) => {
    for (const [path, width] of [['/', 360], ['/', 768], ['/', 1366], ['/', 1920], ['/embed/round', 360]]) {
      const page = await open(path, { width, height: 800 });
      await page.locator('.tile').first().waitFor();
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${path}: ${overflow} px too wide at ${width}`);
      await page.close();
    }
  }));

test('the scripts that viewers load weigh less than 75 kB compressed, without the catalogues of other languages', () => {
  const assets = new URL('../dist/assets/', import.meta.url);
  // The directors' pages are no viewer's, and a viewer loads one catalogue at most.
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js') && !/^(TdPages|es|de|pseudo)[-.]/.test(name));
  assert.ok(scripts.length > 0, 'the pages are built');
  const bytes = scripts.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, assets))).length, 0);
  assert.ok(bytes < 75_000, `${bytes} bytes`);
});

test('fifty tables on a phone are a list, and one touch makes boards of it', () =>
  visit({ tables: 50 }, async ({ open }) => {
    const page = await open('/', { width: 360, height: 740 });
    const lines = page.locator('.dense-line');
    await lines.nth(49).waitFor();
    assert.equal(await lines.nth(0).locator('.clock').count(), 4);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 360, `${wide} px wide`);
    const { height } = await lines.nth(0).boundingBox();
    assert.ok(height >= 44 && height <= 96, `a line of ${height} px`);
    await page.getByTestId('as-list').click();
    await page.locator('.tile').first().waitFor();
    await page.reload();
    await page.locator('.tile').first().waitFor();
  }));

test('a club site shows a table in a frame, and its matches open beside it', () =>
  visit({ tables: 3 }, async ({ open }) => {
    const page = await open('/embed/table/2', { width: 480, height: 400 });
    await page.locator('.tile').first().waitFor();
    assert.equal(await page.locator('.tile').count(), 1);
    assert.equal(await page.locator('.bar').count(), 0);
    const [beside] = await Promise.all([page.context().waitForEvent('page'), page.locator('.tile').click()]);
    assert.match(beside.url(), /\/table\/2$/);
    const missing = await open('/embed/table/9');
    await missing.getByText('Table 9 is not connected.').waitFor();
  }));
