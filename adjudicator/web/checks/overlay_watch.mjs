/**
 * Watches six scenes of a stream for as long as is wanted: `node checks/overlay_watch.mjs PROGRAM MINUTES FOLDER`. PROGRAM is the built
 * `twinboard`: it serves an event, and a simulated hall plays at its eight tables. After each third of the time the server is ended, the first time as
 * by its service and the second time by a kill, and begun again on the same database. Pictures of the scenes over a coloured ground are put into FOLDER.
 *
 * What is measured: frames without a board between frames with one while the line was up (flicker), how much of the ground shows, and how long
 * after the server answers again every scene is live and shows the boards that the server has.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { groundShare } from './hall.mjs';

const [program, minutes, folder] = [process.argv[2], Number(process.argv[3]), process.argv[4]];
const ADDRESS = '127.0.0.1:18431';
const BROKER = '127.0.0.1:18432';
const SCENES = ['match?table=1', 'board?table=2&board=B', 'multi', 'auto', 'match?table=3&theme=light', 'multi?tables=4,5'];
/** The least share of the ground that is seen through each. */
const GROUND = [0.2, 0.4, 0.08, 0.2, 0.2, 0.2];
const LOOK_EVERY_MS = 30_000;

mkdirSync(folder, { recursive: true });

const state = mkdtempSync(join(tmpdir(), 'overlay-watch-'));
const file = join(state, 'event.toml');
writeFileSync(join(state, 'td-token'), 'a-token-for-this-watch-only\n', { mode: 0o600 });
writeFileSync(file, `[event]\nname = "Overlay watch"\n[http]\naddress = "${ADDRESS}"\ntd_token_file = "td-token"\n[broker]\naddress = "${BROKER}"\n[store]\npath = "event.sqlite"\n`);
const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };

/** A process, and the promise of its end. */
function start(...given) {
  const child = spawn(program, given, quiet);
  return { child, ended: new Promise((resolve) => child.on('exit', resolve)) };
}
const serve = () => start('serve', '--config', file);

const healthy = () => fetch(`http://${ADDRESS}/healthz`).then(({ ok }) => ok, () => false);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(holds, within_ms, what) {
  const end = performance.now() + within_ms;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${within_ms} ms: ${what}`);
    await wait(20);
  }
}

/** Counts frames in the page. */
function sample() {
  const seen = { frames: 0, blank: 0, gaps: [], stale_ms: 0 };
  let had = false;
  let gap = 0;
  let last = performance.now();
  const look = (now) => {
    const scene = document.querySelector('.scene');
    const live = scene?.dataset.live === 'true';
    const has = scene?.querySelector('[data-board]') != null;
    seen.frames += 1;
    if (!live) seen.stale_ms += now - last;
    if (live && had && !has) gap += 1;
    else if (gap > 0) {
      seen.blank += gap;
      seen.gaps.push(gap);
      gap = 0;
    }
    if (live) had = has || gap > 0;
    last = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  window.overlaySeen = seen;
}

let server = serve();
await until(healthy, 60_000, 'a server');
const hall = start('demo', '--config', file, '--tables', '8', '--matches', '50', '--players', 'club', '--seed', '1', '--out', join(state, 'hall'));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
const context = await browser.newContext({ viewport: { width: 1920, height: 1080 } });
const errors = [];
const pages = [];
for (const scene of SCENES) {
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(`${scene}: ${error.message}`));
  await page.addInitScript(sample);
  await page.goto(`http://${ADDRESS}/overlay/${scene}`);
  pages.push(page);
}
const live = (page) => page.evaluate(() => document.querySelector('.scene')?.dataset.live === 'true');
/** Checks whether a scene is live and every board on it has the server's position. */
async function right(page, round) {
  if (!(await live(page))) return false;
  const shown = await page.evaluate(() =>
    [...document.querySelectorAll('.scene [data-table]')].flatMap((place) =>
      [...place.querySelectorAll('[data-board]')].map(({ dataset }) => [place.dataset.table, dataset.board, dataset.fen])));
  const fen = (table, board) => round.tables.find((one) => one.table === table)?.boards[board]?.fen;
  return shown.length > 0 && shown.every(([table, board, placement]) => fen(table, board) === placement);
}
async function allRight() {
  const round = await fetch(`http://${ADDRESS}/api/v1/round`).then((answer) => answer.json(), () => null);
  return round !== null && (await Promise.all(pages.map((page) => right(page, round)))).every(Boolean);
}
await until(allRight, 60_000, 'live scenes with boards');

const begun = performance.now();
const total_ms = minutes * 60_000;
const restarts = [];
const shares = SCENES.map(() => []);
let looks = 0;
while (performance.now() - begun < total_ms) {
  await wait(LOOK_EVERY_MS);
  looks += 1;
  for (const [index, page] of pages.entries()) {
    const boards = await page.locator('.scene [data-board]').count();
    const { share, picture } = await groundShare(page);
    writeFileSync(join(folder, `${index}-${String(looks).padStart(3, '0')}.png`), picture);
    shares[index].push(share);
    if (boards > 0 && share < GROUND[index]) errors.push(`look ${looks}, ${SCENES[index]}: only ${(100 * share).toFixed(1)} % of the ground is seen`);
  }
  if (performance.now() - begun > ((restarts.length + 1) * total_ms) / 3 && restarts.length < 2) {
    server.child.kill(restarts.length === 0 ? 'SIGTERM' : 'SIGKILL');
    await server.ended;
    await wait(3_000);
    server = serve();
    await until(healthy, 60_000, 'a server after its restart');
    const from = performance.now();
    await until(allRight, 30_000, 'scenes that are right after a restart');
    restarts.push(Math.round(performance.now() - from));
  }
}
for (const [index, page] of pages.entries()) {
  const seen = await page.evaluate(() => window.overlaySeen);
  const [least, most] = [Math.min(...shares[index]), Math.max(...shares[index])].map((share) => (100 * share).toFixed(0));
  console.log(`${SCENES[index]}: ${seen.frames} frames, blank while live ${seen.blank} (${seen.gaps.length} times), ground ${least} to ${most} %, without a line ${(seen.stale_ms / 1000).toFixed(1)} s`);
}
console.log(`${minutes} minutes, ${looks} looks, restarts on the same database: all scenes right ${restarts.join(' and ')} ms after the server answered`);
for (const error of errors) console.log(`! ${error}`);
await browser.close();
for (const { child, ended } of [hall, server]) {
  child.kill('SIGTERM');
  await ended;
}
rmSync(state, { recursive: true });
process.exitCode = errors.length > 0 ? 1 : 0;
