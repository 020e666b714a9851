import assert from 'node:assert/strict';
import { readFileSync, writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { until, visit } from './hall.mjs';

const data = async (page, key) => page.getByTestId('replay').getAttribute(`data-${key}`);

/** The match that is on at the first table. */
async function matchOf(mock) {
  const round = await (await fetch(`${mock.address}/api/v1/round`)).json();
  return round.tables[0].match;
}

test('a replay plays both boards in their time, is scrubbed and stepped through, and every moment has its address', () =>
  visit({ tables: 1, rate: 4, skip: 60 }, async ({ open, mock }) => {
    const page = await open(`/match/${await matchOf(mock)}/replay`);
    await page.getByTestId('play').click();
    await page.getByLabel('Speed').selectOption('8');
    await until('moves', async () => Number(await data(page, 'index')) >= 3);
    const [before_ms, at] = [Number(await data(page, 't-ms')), Date.now()];
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const [played_ms, waited_ms] = [Number(await data(page, 't-ms')) - before_ms, Date.now() - at];
    assert.ok(Math.abs(played_ms / waited_ms - 8) < 1.5, `${played_ms} ms of play in ${waited_ms} ms`);
    await page.getByTestId('play').click();
    await page.keyboard.press('ArrowLeft');
    const index = Number(await data(page, 'index'));
    const fen = await page.locator('[data-board="A"]').first().getAttribute('data-fen');
    const address = page.url();
    assert.match(address, /#t=\d/);
    const again = await open(new URL(address).pathname + new URL(address).hash);
    await until('the same ply', async () => Number(await data(again, 'index')) === index);
    assert.equal(await again.locator('[data-board="A"]').first().getAttribute('data-fen'), fen);
    await page.getByLabel('Time in the match').fill('0');
    assert.equal(await data(page, 'index'), '-1');
  }));

test('a replay marks decided claims, joins what was passed with where it was dropped, and reads out no more than is wished for', () =>
  visit({ tables: 1, rate: 4, skip: 90 }, async ({ open, mock }) => {
    const page = await open(`/match/${await matchOf(mock)}/replay`);
    const snapshot = await (await fetch(`${mock.address}/api/v1/matches/${await matchOf(mock)}`)).json();
    const claim = page.getByTestId('claims').getByRole('button');
    assert.match(await claim.textContent(), /claimed: The opponent's ply was illegal\. Denied\./);
    await claim.click();
    assert.equal(Number(await data(page, 't-ms')), snapshot.decided[0].t_ms);
    assert.equal(await page.locator('.time-rows i[data-kind="claim"]').count(), 1);
    const said = page.getByTestId('announcer');
    assert.match(await said.textContent(), /Denied/);
    await page.getByTestId('say').selectOption('results');
    await page.keyboard.press('ArrowRight');
    await until('a quiet move', async () => (await said.textContent()) === '');
    await page.getByTestId('say').selectOption('every');
    await until('a move in words', async () => (await said.textContent()) !== '');
    assert.ok((await page.locator('.time-passes line').count()) > 0, 'captures and drops on the time line');
    // Stops at a drop that was passed a moment before: the line ends on its square.
    let joined = '';
    for (let step = 0; step < snapshot.plies.length && joined === ''; step += 1) {
      await page.keyboard.press('ArrowRight');
      joined = (await page.locator('.passes').getAttribute('data-passes')) ?? '';
    }
    assert.match(joined, /^\d+-\d+/);
    assert.equal(await page.locator('.passes line').count(), joined.split(',').length);
  }));

test('a replay in one file opens from a disk, sends no request and weighs less than 300 kB', () =>
  visit({ tables: 1, rate: 4, skip: 120 }, async ({ open, mock }) => {
    const snapshot = await (await fetch(`${mock.address}/api/v1/matches/${await matchOf(mock)}`)).text();
    const bare = readFileSync(new URL('../dist/replay.html', import.meta.url), 'utf8');
    const file = join(mkdtempSync(join(tmpdir(), 'replay-')), 'match.replay.html');
    // As the server does it.
    const whole = bare.replace('id="match">null<', () => `id="match">${snapshot.replaceAll('<', '\\u003c')}<`);
    assert.ok(Buffer.byteLength(whole) < 300_000, `${Buffer.byteLength(whole)} bytes`);
    writeFileSync(file, whole);
    const page = await open('/');
    const asked = [];
    await page.goto('about:blank');
    page.removeAllListeners('request');
    page.on('request', (request) => !/^(file|data):/.test(request.url()) && asked.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    await page.getByTestId('replay').waitFor();
    await page.keyboard.press('ArrowRight');
    await until('the first ply', async () => (await data(page, 'index')) === '0');
    assert.deepEqual(asked, []);
  }));
