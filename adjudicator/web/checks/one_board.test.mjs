import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, shown, until, visit } from './hall.mjs';

const HALL = { tables: 3, skip: 20, kinds: ['bughouse', 'chess', 'half'] };

test('a chess table is one large board with sides, long clocks, numbered moves and no reserves', () =>
  visit({ ...HALL, rate: 1 }, async ({ open, mock }) => {
    const page = await open('/table/2', { width: 1280, height: 800 });
    await page.locator('[data-ply="20"]').waitFor();
    assert.equal(await page.locator('.match [data-board]').count(), 1);
    assert.equal(await page.locator('.reserve').count(), 0);
    assert.equal(await shown(page, 'A'), mock.hall.tables[1].json().boards.A.fen);
    assert.equal(await page.getByTestId('seat-A-white').innerText(), 'White');
    assert.equal(await page.getByTestId('seat-A-black').innerText(), 'Black');
    assert.match(await page.getByTestId('clock-A-white').innerText(), /^1:\d\d:\d\d$/);
    assert.equal(await page.getByTestId('terms').innerText(), 'Chess · 40 moves in 90 min, then 30 min · 5 s delay');
    const rows = await page.locator('.move-list .row').allInnerTexts();
    assert.match(rows[0], /^1\.\s+e4\s+1:29:\d\d\s+e5\s+1:29:\d\d$/);
    assert.match(rows[9], /^10\.\s+Nxb5/);
    assert.match(await page.locator('.download').getAttribute('href'), /\.pgn$/);
    const board = await page.locator('.match [data-board="A"]').boundingBox();
    assert.ok(board.width >= 560, `${board.width} px wide`);
  }));

test('a chess game is followed to its mate and can be walked', () =>
  visit({ ...HALL, rate: 400 }, async ({ open, mock }) => {
    const page = await open('/table/2');
    await page.getByTestId('result').waitFor({ timeout: 60_000 });
    assert.equal(await page.getByTestId('result').innerText(), 'White wins: mate.');
    assert.equal(await page.getByTestId('state').innerText(), 'Mate');
    const { plies } = mock.hall.tables[1];
    await page.locator('[data-ply="5"]').click();
    await until('the position after ply 5', async () => (await drawn(page, 'A')) === plies[4].after.fen, 3_000);
  }));

test('a half-sensed bughouse table says what is not seen and shows no reserve', () =>
  visit({ ...HALL, rate: 1 }, async ({ open }) => {
    const page = await open('/table/3');
    await page.getByTestId('unseen-board').waitFor();
    assert.match(await page.getByTestId('unseen-board').innerText(), /Board B has no sensors/);
    assert.equal(await page.locator('.reserve').count(), 0);
    assert.equal(await page.locator('.match [data-board]').count(), 1);
    assert.equal(await page.getByTestId('seat-A-white').innerText(), 'Comets');
    assert.match(await page.locator('.download').getAttribute('href'), /\.bpgn$/);
  }));

test('the overview has a tile for each kind of table, with the boards that have sensors', () =>
  visit({ ...HALL, rate: 1 }, async ({ open }) => {
    for (const [width, height] of [[360, 640], [1280, 800], [1920, 1080]]) {
      const page = await open('/?projector=0', { width, height });
      await page.locator('.tile').nth(2).waitFor();
      const boards = await page.locator('.tile').evaluateAll((tiles) =>
        tiles.map((tile) => [tile.dataset.boards, tile.querySelectorAll('.mini').length, tile.querySelectorAll('.reserve').length]),
      );
      assert.deepEqual(boards, [['2', 2, 4], ['1', 1, 0], ['1', 1, 0]]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
      assert.ok(!overflow, `${width} px: nothing is wider than the screen`);
    }
  }));

test('one board fits a phone with its clocks and the walk, touch targets of 48 pixels', () =>
  visit({ ...HALL, rate: 1 }, async ({ open }) => {
    for (const path of ['/table/2', '/table/3']) {
      const page = await open(path, { width: 360, height: 640, hasTouch: true, isMobile: true });
      await page.locator('[data-ply]').first().waitFor({ state: 'attached' });
      for (const part of ['.match [data-board]', '[data-testid="clock-A-white"]', '[data-testid="clock-A-black"]', '.walk']) {
        const box = await page.locator(part).boundingBox();
        assert.ok(box.y >= 0 && box.y + box.height <= 640 && box.x >= 0 && box.x + box.width <= 360, `${path}: ${part}`);
      }
      const board = await page.locator('.match [data-board]').boundingBox();
      assert.ok(board.width >= 352, `${board.width} px wide`);
      for (const button of await page.locator('.walk button, .move').all()) {
        assert.ok((await button.boundingBox()).height >= 48);
      }
    }
  }));
