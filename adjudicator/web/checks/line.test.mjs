import assert from 'node:assert/strict';
import { test } from 'node:test';
import { line, shown, until, visit } from './hall.mjs';

const clockText = (page) => page.locator('.match .clock[data-running="true"] time').first().innerText();

async function sameAsServer(page, table) {
  await until('the server’s position', async () => {
    const { boards } = table.json();
    return (await shown(page, 'A')) === boards.A.fen && (await shown(page, 'B')) === boards.B.fen;
  });
  const ids = await page.locator('[data-ply-id]').evaluateAll((plies) => plies.map((ply) => Number(ply.dataset.plyId)));
  // The mock hall numbers plies as they happen.
  assert.deepEqual(ids, ids.map((_, index) => index + 1), 'every ply once, in order');
}

test('a broken connection is called stale, stops the clocks, and heals in order without a reload', () =>
  visit({ tables: 1, rate: 10, skip: 30 }, async ({ open, mock }) => {
    const page = await open('/table/1');
    await until('live', async () => (await line(page)) === 'live');
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));
    mock.outage(4_000);
    await until('stale', async () => (await line(page)) === 'stale', 2_000);
    assert.match(await page.getByTestId('line').innerText(), /^\s*Stale since \d\d:\d\d:\d\d/);
    assert.equal(await page.locator('.match .clock[data-still="true"]').count(), 2);
    const stopped = await clockText(page);
    await page.waitForTimeout(1_200);
    assert.equal(await clockText(page), stopped);
    await until('live again', async () => (await line(page)) === 'live');
    await sameAsServer(page, mock.hall.tables[0]);
    assert.equal(await page.evaluate(() => window.sameDocument), true);
  }));

test('a connection that says nothing for six seconds is stale too', () =>
  visit({ tables: 1, rate: 5, skip: 30 }, async ({ open, mock }) => {
    const page = await open('/table/1');
    await until('live', async () => (await line(page)) === 'live');
    mock.line.silentUntil = Date.now() + 10_000;
    await until('stale', async () => (await line(page)) === 'stale', 9_000);
    await until('live again', async () => (await line(page)) === 'live', 20_000);
    await sameAsServer(page, mock.hall.tables[0]);
  }));

test('a server that cannot resume is followed from a new snapshot', () =>
  visit({ tables: 1, rate: 20, skip: 30 }, async ({ open, mock }) => {
    const page = await open('/table/1');
    await until('live', async () => (await line(page)) === 'live');
    mock.outage(1_500);
    await page.waitForTimeout(1_000);
    mock.hall.events.length = 0;
    mock.hall.lastEventId += 50;
    await until('live again', async () => (await line(page)) === 'live');
    await sameAsServer(page, mock.hall.tables[0]);
  }));

test('a message of another shape is noted, and the page goes on', () =>
  visit({ tables: 1, rate: 5, skip: 30 }, async ({ open, mock }) => {
    const page = await open('/table/1');
    await until('live', async () => (await line(page)) === 'live');
    mock.hall.publish('table', null, { table: 7, boards: 'none' });
    await page.getByText('does not understand').waitFor();
    assert.equal(await page.locator('.board').count(), 2);
    await until('the note gone', async () => (await page.getByText('does not understand').count()) === 0);
    await sameAsServer(page, mock.hall.tables[0]);
  }));

test('a delayed broadcast says by how much', () =>
  visit({ tables: 1, delay_s: 300 }, async ({ open }) => {
    const page = await open('/');
    await until('delayed', async () => (await line(page)) === 'delayed');
    assert.match(await page.getByTestId('line').innerText(), /Delayed by 5 min/);
  }));

test('clocks tick between readings', () =>
  visit({ tables: 1, rate: 1, skip: 30 }, async ({ open, mock }) => {
    const page = await open('/table/1');
    await until('live', async () => (await line(page)) === 'live');
    const reading = mock.hall.tables[0].json().boards.A.clock;
    const side = reading.running;
    const clock = page.getByTestId(`clock-A-${side}`).locator('time');
    const before = await clock.innerText();
    await until('a tick', async () => (await clock.innerText()) !== before, 3_000);
  }));

test('a page that opens while the server is down starts by itself when it is back', () =>
  visit({ tables: 1, skip: 10 }, async ({ open, mock }) => {
    const page = await open('/table/1');
    await page.route('**/api/v1/round', (route) => route.abort());
    await page.reload();
    await until('connecting', async () => (await line(page)) === 'opening');
    await page.unroute('**/api/v1/round');
    await until('live', async () => (await line(page)) === 'live');
    await sameAsServer(page, mock.hall.tables[0]);
  }));
