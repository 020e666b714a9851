import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, shown, until, visit } from './hall.mjs';

const plain = (fen) => fen.replaceAll('~', '');

test('a match page draws the server's match and follows it to its end', () =>
  visit({ tables: 1, rate: 150, skip: 20 }, async ({ open, mock }) => {
    const page = await open('/table/1');
    await page.getByTestId('result').waitFor({ timeout: 60_000 });
    const { boards, result } = mock.hall.tables[0].json();
    assert.equal(await page.getByTestId('result').innerText(), result.text);
    for (const board of ['A', 'B']) {
      assert.equal(await shown(page, board), boards[board].fen);
      await until('the drawing', async () => (await drawn(page, board)) === plain(boards[board].fen), 2_000);
    }
    const listed = await page.locator('[data-ply]').evaluateAll((plies) => plies.map((ply) => ply.dataset.uci));
    assert.deepEqual(listed, mock.hall.tables[0].plies.map(({ uci }) => uci));
  }));

test('the move list is in true order with BPGN numbers', () =>
  visit({ tables: 1, rate: 1, skip: 30 }, async ({ open }) => {
    const page = await open('/match/r1-t1');
    await page.locator('[data-ply="30"]').waitFor();
    const numbers = await page.locator('[data-ply]').evaluateAll((plies) => plies.map((ply) => Number(ply.dataset.ply)));
    assert.deepEqual(numbers.slice(0, 30), Array.from({ length: 30 }, (_, index) => index + 1));
    assert.match(await page.locator('[data-ply="1"]').innerText(), /^1[AB]\./);
  }));

test('any ply shows both boards as they were then, by key, button and touch', () =>
  visit({ tables: 1, rate: 0.05, skip: 40 }, async ({ open, mock }) => {
    const page = await open('/table/1');
    await page.locator('[data-ply="40"]').waitFor();
    const { plies } = mock.hall.tables[0];
    const fenAt = (index, board) => plies.slice(0, index + 1).findLast((ply) => ply.board === board).after.fen;
    const expectAt = async (index) => {
      for (const board of ['A', 'B']) {
        const wanted = fenAt(index, board);
        await until(`ply ${index + 1} on ${board}`, async () => (await shown(page, board)) === wanted, 3_000);
        await until(`its drawing`, async () => (await drawn(page, board)) === plain(wanted), 3_000);
      }
    };
    await page.keyboard.press('ArrowLeft');
    await expectAt(38);
    await page.getByTestId('previous').click();
    await expectAt(37);
    await page.locator('[data-ply="20"]').click();
    await expectAt(19);
    await page.keyboard.press('ArrowRight');
    await expectAt(20);
    await page.getByTestId('first').click();
    await until('the set-up', async () => (await shown(page, 'A')) === 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR');
    await page.getByTestId('to-live').click();
    await until('live', async () => (await page.locator('.match').getAttribute('data-place')) === 'live');
    await expectAt(plies.length - 1);
  }));

test('new plies do not move a viewer away from an old one', () =>
  visit({ tables: 1, rate: 40, skip: 30 }, async ({ open }) => {
    const page = await open('/table/1');
    await page.locator('[data-ply="10"]').click();
    const before = await shown(page, 'A');
    await page.locator('[data-ply="36"]').waitFor();
    assert.equal(await shown(page, 'A'), before);
    assert.match(await page.getByTestId('to-live').innerText(), /Back to live/);
  }));

test('an uncertain piece shows its candidates on touch, also beside it', () =>
  visit({ tables: 3, rate: 0.01, skip: 88 }, async ({ open, mock }) => {
    const table = mock.hall.tables.find(({ play }) => ['A', 'B'].some((board) => play.uncertain(board).length > 0));
    const board = ['A', 'B'].find((name) => table.play.uncertain(name).length > 0);
    const [entry] = table.play.uncertain(board);
    const page = await open(`/table/${table.number}`, { width: 360, height: 740, hasTouch: true, isMobile: true });
    const ring = page.locator(`.match [data-board="${board}"] [data-doubt="${entry.square}"]`);
    await ring.waitFor();
    const drawnPale = () =>
      page.locator(`.match [data-board="${board}"]`).evaluate(
        (element, square) => [...element.querySelectorAll('piece.unsure')].some((piece) => piece.cgKey === square),
        entry.square,
      );
    await until('the piece is paler', drawnPale);
    const dialog = page.getByTestId('candidates');
    const NEAR_PX = 20;
    // The page may still be laid out when the ring is there: a finger that missed tries again.
    await until('the candidates', async () => {
      const box = await ring.boundingBox();
      await page.touchscreen.tap(box.x + box.width / 2, box.y + NEAR_PX);
      return dialog.waitFor({ timeout: 1_000 }).then(() => true, () => false);
    });
    assert.match(await dialog.innerText(), new RegExp(`${Math.round(entry.p * 100)} %`));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until('the ring has the focus again', () => ring.evaluate((element) => element === document.activeElement));
  }));

test('a revision changes the piece with a sign, and the list says what it was', () =>
  visit({ tables: 4, rate: 30, skip: 40, seed: 3 }, async ({ open }) => {
    // The sign is there for a moment: the pages are open before it comes to one of them.
    const pages = await Promise.all([1, 2, 3, 4].map((table) => open(`/table/${table}`)));
    const first = (...where) => Promise.any(pages.map((page) => page.locator(...where).first().waitFor({ state: 'attached', timeout: 60_000 })));
    await Promise.all([first('.revised'), first('.move .remark', { hasText: 'was ' })]);
  }));

test('both boards, all reserves and clocks are in one phone screen, and nothing is wider than it', () =>
  visit({ tables: 1, skip: 60 }, async ({ open }) => {
    for (const [width, height] of [[360, 740], [360, 640], [768, 1024], [1366, 768], [1920, 1080], [740, 360]]) {
      const page = await open('/table/1', { width, height });
      await page.locator('[data-ply="1"]').waitFor({ state: 'attached' });
      for (const part of ['.board', '.clock', '.reserve', '.walk']) {
        for (const element of await page.locator(part).all()) {
          const box = await element.boundingBox();
          const inside = box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
          assert.ok(inside, `${part} ${JSON.stringify(box)} is not on the ${width}×${height} screen`);
        }
      }
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide at ${width}`);
      await page.close();
    }
  }));

test('buttons that are touched are at least 48 pixels high and wide', () =>
  visit({ tables: 1, skip: 30 }, async ({ open }) => {
    const page = await open('/table/1', { width: 360, height: 740, hasTouch: true, isMobile: true });
    await page.locator('[data-ply="30"]').waitFor();
    for (const button of await page.locator('.walk button, .move, .bar .button, .download').all()) {
      const { width, height } = await button.boundingBox();
      assert.ok(width >= 48 && height >= 48, `${await button.innerText()}: ${width} × ${height}`);
    }
  }));

test('moves are announced', () =>
  visit({ tables: 1, rate: 30, skip: 10 }, async ({ open }) => {
    const page = await open('/table/1');
    await until('an announcement', async () => /^Board [AB], (White|Black): /.test(await page.getByTestId('announcer').innerText()));
  }));

test('an unknown match gets a sentence and a way on', () =>
  visit({ tables: 1 }, async ({ open }) => {
    const page = await open('/match/nothing');
    await page.getByText('There is no match “nothing” on this server.').waitFor();
    assert.equal(await page.getByRole('link', { name: 'All tables' }).first().getAttribute('href'), '/');
  }));
