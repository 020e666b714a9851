/**
 * Every page at every width, by day and by night: `node checks/every_page.mjs PROGRAM FOLDER [--sample]`. PROGRAM is the built `twinboard`.
 *
 * The pages of an event that is empty, and of one that is played in rounds. Each is judged by axe-core and for its width; an empty page must
 * state the next step. A match is moved to another pairing by touch, as no other check does. Pictures are put into FOLDER. `--sample` judges each page in one cell of the matrix, all cells in turn, without pictures.
 */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, letIn, play, serve, startChromium, wait } from './phone.mjs';
import { rulesBroken, tooWide } from './reach.mjs';

const WIDTHS = [360, 390, 768, 1440, 1920];
const HEIGHTS = { 360: 740, 390: 844, 768: 1024, 1440: 900, 1920: 1080 };
const SCHEMES = ['light', 'dark'];
const CELLS = WIDTHS.flatMap((width) => SCHEMES.map((scheme) => [width, scheme]));
/** Widest screen that a thumb touches. */
const THUMB_MAX = 768;
const LOOK_MS = 20_000;
/** Time in which a page lays itself out again for another width. */
const RESIZE_MS = 120;
const ROUND_MAX_MS = 120_000;

const [program, folder, ...options] = process.argv.slice(2);
const isSample = options.includes('--sample');
const SETTLE_MS = isSample ? 300 : 700;
/** Rounds that the played event has begun when its pages are judged. */
const ROUNDS = isSample ? 1 : 2;
const failures = [];
const browser = await startChromium();
mkdirSync(folder, { recursive: true });

/** Scenes are as wide as a stream's picture. */
const scene = (path) => ({ path, cells: CELLS.filter(([width]) => width === 1920), mayBeEmpty: true });
const page = (path) => ({ path, cells: CELLS });
const PUBLIC = ['/', '/?projector=1', '/?section=nobody', '/table/1', '/table/99', '/match/0', '/standings', '/pairings', '/pairings?by=table', '/pairings?screen=1', '/screen', '/embed/round', '/embed/table/1', '/td'].map(page);
const SCENES = ['match?table=1', 'board?table=1&board=A', 'multi', 'auto', 'standings', 'ticker', 'next', 'result?table=1'].map((of) => scene(`/overlay/${of}`));
const DESK = ['', '/table/1', '/round', '/event', '/families', '/slips', '/prizes', '/certificates', '/stream', '/report', '/rules/us-chess-bughouse-2018', '/staff', '/screens', '/tables', '/hubs'].map((of) => page(`/td${of}`));

let turn = 0;

/** Judges a page in its cells of the matrix. */
async function judge(context, address, { path, cells, mayBeEmpty = false }, name) {
  const shown = await context.newPage();
  shown.setDefaultTimeout(LOOK_MS);
  shown.on('pageerror', (error) => failures.push(`${name} ${path}: ${error.message}`));
  const chosen = isSample ? [cells[turn++ % cells.length]] : cells;
  await shown.setViewportSize({ width: chosen[0][0], height: HEIGHTS[chosen[0][0]] });
  await shown.goto(address + path);
  await shown.locator('h1, main, .note:not(#page > .note:only-child)').first().waitFor({ state: 'attached' });
  await shown.waitForTimeout(SETTLE_MS);
  if (name === 'empty' && !mayBeEmpty && !(await hasNext(shown))) failures.push(`${name} ${path}: the page has no sentence about what comes next`);
  for (const [width, colorScheme] of chosen) {
    await shown.setViewportSize({ width, height: HEIGHTS[width] });
    await shown.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await shown.waitForTimeout(RESIZE_MS);
    const at = `${name} ${path}, ${width} ${colorScheme}`;
    const wide = (await tooWide(shown)).filter((words) => width <= THUMB_MAX || words.startsWith('it is '));
    failures.push(...[...(await rulesBroken(shown)), ...wide].map((words) => `${at}: ${words}`));
    if (!isSample) await shown.screenshot({ path: join(folder, `${name} ${path.replace(/#.*/, '').replace(/\W+/g, '-')} ${width} ${colorScheme}.png`), fullPage: !mayBeEmpty });
  }
  await shown.close();
}

/** Whether a page has a sentence of its own, outside of headings and menus. */
const hasNext = (shown) =>
  shown.evaluate(() => [...document.querySelectorAll('main *, .note')].some((element) => !element.closest('h1, h2, nav, header') && /\p{L}+ \p{L}+.*[.:]/u.test(element.textContent.trim())));

/** All pages of a server, for visitors and for the chief. */
async function judgeAll(address, device, more, name) {
  const visitor = await browser.newContext();
  for (const one of [...PUBLIC, ...SCENES, ...more.open]) await judge(visitor, address, one, name);
  // In the suites, the directors' pages of a played event are those of `td_pages.mjs`.
  const desk = isSample && name === 'played' ? more.desk : [...DESK, ...more.desk];
  for (const one of desk) await judge(device.context, address, one, name);
  await visitor.close();
}

/** An event without sections, lists, hubs and matches. */
async function empty() {
  const event = await serve(program, mkdtempSync(join(tmpdir(), 'every-page-')), 'Empty');
  try {
    const { path, pin } = await event.invite('Carla');
    const device = await letIn(browser, `${event.address}${path}`, pin, failures);
    await judgeAll(event.address, device, { open: ['/child#none', '/at-table#none'].map(page), desk: [] }, 'empty');
  } finally {
    event.stop();
  }
}

/** An event that is played: results, standings, links of a child and a table. */
async function played() {
  const demo = await play(program, ['--tables', '3', '--speed', '40', '--seed', '4']);
  try {
    const device = await letIn(browser, demo.director, demo.pin, failures);
    const begun = Date.now();
    const look = async () => [await ask(device.page, '/api/v1/td/event'), (await ask(device.page, '/api/v1/matches')).matches];
    let [event, matches] = await look();
    while ((matches.length === 0 || !event.sections.some(({ opened }) => opened >= ROUNDS)) && Date.now() - begun < ROUND_MAX_MS) {
      await wait(1_000);
      [event, matches] = await look();
    }
    const players = event.sections.flatMap(({ entrants }) => entrants.flatMap((one) => one.players)).slice(0, 1).map(({ player }) => player);
    const [child] = await ask(device.page, '/api/v1/td/children/links', { players });
    const [table] = await ask(device.page, '/api/v1/td/tables/links', { tables: event.tables.slice(0, 1) });
    const [match] = matches.map((one) => one.match);
    const open = [child.path, table.path, `/match/${match}`, `/match/${match}/sheet`, `/match/${match}/replay`].map(page);
    const desk = [page(`/td/match/${match}`)];
    await judgeAll(demo.address, device, { open, desk }, 'played');
  } finally {
    demo.stop();
  }
}

/** A match of a round is given to no pairing, and back to its own, with two touches each. */
async function belongs() {
  const demo = await play(program, ['--tables', '1', '--speed', '4', '--seed', '4']);
  try {
    const { page: shown } = await letIn(browser, demo.director, demo.pin, failures);
    const begun = Date.now();
    const matches = async () => (await ask(shown, '/api/v1/matches')).matches;
    let match;
    const of = async () => ask(shown, `/api/v1/td/matches/${match}`);
    const is = async (wanted) => {
      for (const until = Date.now() + LOOK_MS; (await of()).pairing !== wanted; await wait(200)) {
        if (Date.now() > until) throw new Error(`the match belongs to pairing ${(await of()).pairing}, and ${wanted} was touched`);
      }
    };
    for (let pairing = null; pairing === null; await wait(500)) {
      if (Date.now() - begun > ROUND_MAX_MS) throw new Error('no match of a round has begun');
      match = (await matches()).at(-1)?.match;
      const seen = match === undefined ? null : await of();
      if (seen?.shown.plies.length > 0) pairing = seen.pairing;
    }
    const { pairing } = await of();
    await shown.goto(`${demo.address}/td/match/${match}`);
    const part = shown.locator('[data-testid="belongs"]');
    await part.locator('summary').tap();
    const touchTwice = async (button) => {
      await button.tap();
      await part.locator('button[aria-pressed="true"]').tap();
    };
    await touchTwice(part.getByRole('button', { name: 'To nobody’s pairing' }));
    await is(null);
    await touchTwice(part.getByRole('button', { name: /^round 1, table 1/ }));
    await is(pairing);
  } finally {
    demo.stop();
  }
}

for (const part of [empty, played, belongs]) {
  const begun = Date.now();
  await part().catch((error) => failures.push(`${part.name}: ${error.message}`));
  console.log(`${part.name}: ${Math.round((Date.now() - begun) / 1000)} s`);
}
await browser.close();
for (const failure of new Set(failures)) console.log(`! ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;
