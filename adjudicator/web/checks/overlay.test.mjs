import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groundShare, until, visit } from './hall.mjs';

const STREAM = { width: 1920, height: 1080 };

test('a scene is transparent around its content, and no part of it is cut off', () =>
  visit({ tables: 9, rate: 4 }, async ({ open }) => {
    for (const [path, least] of [['match?table=2', 0.2], ['board?table=1&board=B', 0.4], ['multi', 0.08], ['auto', 0.2]]) {
      const page = await open(`/overlay/${path}`, STREAM);
      await page.locator('.scene [data-board]').first().waitFor();
      const boxes = await page.locator('.scene .tile-board').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
      for (const box of boxes) assert.ok(box.top >= 0 && box.bottom <= 1080 && box.left >= 0 && box.right <= 1920, `${path}: ${JSON.stringify(box)}`);
      assert.ok((await groundShare(page)).share >= least, `${path}: the ground is covered`);
      await page.close();
    }
  }));

test('a scene with nothing to show explains itself, but not in OBS', () =>
  visit({ tables: 1, rate: 4 }, async ({ open }) => {
    for (const [path, words] of [['result?table=1', 'no result yet'], ['match?table=77', 'no table 77'], ['auto?section=none', 'No match']]) {
      const page = await open(`/overlay/${path}`, STREAM);
      await page.getByTestId('nothing').filter({ hasText: words }).waitFor();
      if (path.startsWith('result')) {
        await page.addInitScript(() => (window.obsstudio = {}));
        await page.reload();
        await page.locator('.scene[data-live="true"]').waitFor({ state: 'attached' });
        assert.equal(await page.getByTestId('nothing').count(), 0);
      }
      await page.close();
    }
  }));

test('a multiboard shows eight tables at most, or those that are asked for', () =>
  visit({ tables: 12, rate: 4 }, async ({ open }) => {
    const page = await open('/overlay/multi', STREAM);
    await page.locator('.scene-cell').first().waitFor();
    assert.equal(await page.locator('.scene-cell').count(), 8);
    const named = await open('/overlay/multi?tables=7,3', STREAM);
    await named.locator('.scene-cell').first().waitFor();
    const tables = await named.locator('.scene-cell').evaluateAll((all) => all.map((one) => one.dataset.table));
    assert.deepEqual(tables, ['7', '3']);
  }));

test('six scenes of one browser share a line, and each is right again after the server was away', () =>
  visit({ tables: 8, rate: 10, skip: 10 }, async ({ openTogether, mock }) => {
    const paths = ['match?table=1', 'board?table=2', 'multi', 'auto', 'standings', 'match?table=3&theme=light'];
    const pages = await openTogether(paths.map((path) => `/overlay/${path}`), STREAM);
    const live = (page) => page.getByTestId('scene').getAttribute('data-live');
    for (const page of pages) await until('a live scene', async () => (await live(page)) === 'true');
    assert.equal(mock.line.streams.size, 1);
    mock.outage(1500);
    for (const page of pages) await until('a scene that knows that it is not live', async () => (await live(page)) === 'false');
    for (const page of pages) await until('a live scene', async () => (await live(page)) === 'true');
    assert.equal(mock.line.streams.size, 1);
    // Closing a scene leaves the connection of the others open.
    await pages[0].close();
    const board = pages[5].locator('.scene [data-board="A"]');
    const shown = await board.getAttribute('data-fen');
    await until('a move', async () => (await board.getAttribute('data-fen')) !== shown);
  }));

test('a scene is right again by itself after the server was away', () =>
  visit({ tables: 2, rate: 20, skip: 10 }, async ({ open, mock }) => {
    const page = await open('/overlay/match?table=1', STREAM);
    const board = page.locator('.scene [data-board="A"]');
    await board.waitFor();
    mock.outage(1500);
    const shown = await board.getAttribute('data-fen');
    await until('a move after the outage', async () => (await board.getAttribute('data-fen')) !== shown);
    await until('a live line', async () => (await page.getByTestId('scene').getAttribute('data-live')) === 'true');
  }));
