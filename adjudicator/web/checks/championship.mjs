/**
 * A championship through the pages alone: `node checks/championship.mjs PROGRAM FOLDER`. PROGRAM is the built `twinboard`.
 *
 * Sixteen teams in two sections and five players of blitz play three rounds on paper. The chief works at a laptop and makes the mistakes
 * that organisers make: a mistyped section, two teams left out of a round, two entrants exchanged, a result at the wrong side that was confirmed,
 * a team that leaves, one that comes late. Each is corrected on the page, no database is deleted, and after each step
 * the public standings are those that are calculated here. Pictures are put into FOLDER.
 */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PHONE, serve, startChromium, wait } from './phone.mjs';

const [program, folder] = process.argv.slice(2);
const LOOK_MS = 20_000;
mkdirSync(folder, { recursive: true });
const served = await serve(program, mkdtempSync(join(tmpdir(), 'championship-')), 'Championship');

const failures = [];
const check = (is, words) => is || failures.push(words);
const browser = await startChromium();

/** A device of the chief: the laptop at the desk, or a phone. */
async function letIn(options) {
  const { path, pin } = await served.invite('Carla');
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(LOOK_MS);
  page.on('pageerror', (error) => failures.push(error.message));
  await page.goto(`${served.address}${path}`);
  await page.fill('#pin', pin);
  await page.getByRole('button', { name: 'Pair this device' }).click();
  await page.locator('[data-testid="needs"]').waitFor({ state: 'attached' });
  return page;
}
const desk = await letIn({ viewport: { width: 1440, height: 900 } });
const viewer = await (await browser.newContext(PHONE)).newPage();
viewer.setDefaultTimeout(LOOK_MS);
const take = (page, name) => page.screenshot({ path: join(folder, `championship ${name}.png`), fullPage: true });

const open = async (path) => {
  await desk.goto(`${served.address}${path}`);
  await desk.locator('main').first().waitFor();
};
const section = (name) => desk.locator(`section.td-section[data-section="${name}"]`);
const opened = async (details) => {
  if (!(await details.evaluate((one) => one.open))) await details.locator('> summary').click();
  return details;
};
/** A button that asks once more before it does it. */
const sure = async (button) => {
  await button.click();
  await button.click();
};
const done = (words) => desk.getByTestId('outcome').filter({ hasText: words }).first().waitFor();

/** Types a list in, looks at the preview, and imports it. Returns what the preview said. */
async function typed(kind, lines, book) {
  const list = await opened(desk.getByTestId('import'));
  await list.locator('select').first().selectOption(kind);
  if (book !== undefined) {
    await list.getByLabel('Rulebook of new sections').selectOption(book);
    await list.getByLabel('Rounds of new sections').fill('3');
  }
  const text = list.getByTestId('typed');
  await text.fill(`${(await text.inputValue()).trim()}\n${lines.join('\n')}\n`);
  await list.getByRole('button', { name: 'Preview' }).click();
  const preview = list.getByTestId('preview');
  await preview.waitFor();
  const words = await preview.innerText();
  await preview.getByRole('button', { name: 'Import it' }).click();
  await list.getByText('was taken').waitFor();
  return words;
}

const names = (kind) => Array.from({ length: 8 }, (_, at) => `${kind} ${String.fromCharCode(65 + at)}`);
const TEAMS = { 'K-5': names('Pine'), 'K-12': names('Oak'), Blitz: ['Ana Avalos', 'Bo Berg', 'Cy Cole', 'Di Drew', 'Eve Epps'] };
/** Points that are due by now, in halves. */
const points = Object.fromEntries(Object.values(TEAMS).flat().map((name) => [name, 0]));
const score = (name, halves) => (points[name] += halves);

/** The public standings have the points that are due; names of children are in none. */
async function standings(of, step) {
  const shown = async () => {
    await viewer.goto(`${served.address}/standings?section=${encodeURIComponent(of)}`);
    const rows = viewer.locator('[data-testid="standings"] tbody tr');
    await rows.first().waitFor();
    return rows.evaluateAll((all) => all.map((row) => [row.querySelector('th')?.innerText.trim() ?? '', row.cells[2]?.innerText.trim() ?? '']));
  };
  const wrong = (rows) => rows.filter(([name, of_page]) => {
    const key = Object.keys(points).find((one) => (of === 'Blitz' ? name === `No. ${TEAMS.Blitz.indexOf(one) + 1}` : name.startsWith(one)));
    return key === undefined || Number(of_page.replace('½', '.5').replace('*', '')) !== points[key] / 2;
  });
  let rows = await shown();
  for (let tries = 0; tries < 20 && wrong(rows).length > 0; tries += 1) {
    await wait(250);
    rows = await shown();
  }
  check(rows.length === TEAMS[of].length, `${step}: ${of} has ${rows.length} rows`);
  check(wrong(rows).length === 0, `${step}: ${of}: ${JSON.stringify(wrong(rows))}`);
}

/** The row of a pairing, and in which state it is; hidden parts of other rows name the same entrants. */
const row = (of, one, stage = '') => section(of).locator(`[data-testid="desk"] tbody tr[aria-label*="${one}"]${stage === '' ? '' : `[data-stage="${stage}"]`}`);

/** Enters a result by its key, and confirms it. */
async function result(of, first, key) {
  const line = row(of, first);
  await line.focus();
  await desk.keyboard.press(key);
  await row(of, first, 'to-confirm').waitFor();
  await line.focus();
  await desk.keyboard.press('c');
  await row(of, first, 'done').waitFor();
}

/** Enters results by their keys, and confirms all of them at once. */
async function results(of, list) {
  for (const [first, key] of list) {
    await row(of, first).focus();
    await desk.keyboard.press(key);
  }
  for (const [first] of list) await row(of, first, 'to-confirm').waitFor();
  await sure(section(of).getByRole('button', { name: `Confirm all ${list.length}` }));
  for (const [first] of list) await row(of, first, 'done').waitFor();
}

async function openRound(of, round) {
  await sure(section(of).getByRole('button', { name: `Open round ${round}` }));
  await section(of).getByRole('button', { name: `Round ${round}`, exact: true }).click();
}

const pairings = (of, round, from, pairs) => pairs.map(([one, other], at) => `${of},${round},${from + at},${one},${other}`);

async function enterTheEvent() {
  await open('/td/event');
  const rows = ['K-5', 'K-12'].flatMap((of) => TEAMS[of].map((team, at) => `${of === 'K-5' && at === 7 ? 'K5' : of},${team},Kim ${team[0]}${at}one,Lee ${team[0]}${at}two`));
  const words = await typed('teams', rows, 'us-chess-bughouse-2018');
  check(/K5/.test(words), 'the preview does not show the mistyped section');
  await section('K5').waitFor();
  const corrections = await opened(section('K5').getByTestId('section-corrections'));
  await corrections.getByLabel('It is a part of').selectOption('K-5');
  await sure(corrections.getByRole('button', { name: 'Merge' }));
  await section('K5').waitFor({ state: 'detached' });
  await typed('players', TEAMS.Blitz.map((name) => `Blitz,${name},`), 'us-chess-blitz-2020');
  const tables = await opened(desk.locator('details').filter({ hasText: 'Names, with commas between them' }));
  await tables.locator('input').fill(Array.from({ length: 10 }, (_, at) => at + 1).join(', '));
  await tables.getByRole('button', { name: 'List them' }).click();
  await done('10 tables');
}

async function roundOne() {
  for (const of of Object.keys(TEAMS)) await openRound(of, 1);
  const [k5, k12] = [TEAMS['K-5'], TEAMS['K-12']];
  // Two teams are left out, and two entrants stand in each other's places.
  await typed('pairings', [
    ...pairings('K-5', 1, 1, [[k5[0], k5[3]], [k5[2], k5[1]], [k5[4], k5[5]]]),
    ...pairings('K-12', 1, 5, [[k12[0], k12[1]], [k12[2], k12[3]], [k12[4], k12[5]], [k12[6], k12[7]]]),
    ...pairings('Blitz', 1, 9, [[TEAMS.Blitz[0], TEAMS.Blitz[1]], [TEAMS.Blitz[2], TEAMS.Blitz[3]]]),
  ]);
  await section('K-5').getByTestId('findings').waitFor();
  await take(desk, 'round 1 with two left out');
  const tools = await opened(section('K-5').getByTestId('round-tools'));
  await tools.getByLabel('First side').selectOption({ label: `7. ${k5[6]}` });
  await tools.getByLabel('Second side').selectOption({ label: `8. ${k5[7]}` });
  await tools.locator('input').fill('4');
  await sure(tools.getByRole('button', { name: 'Add the pairing' }));
  await row('K-5', k5[6]).waitFor();
  await opened(tools);
  await tools.locator('select').nth(0).selectOption({ label: `${k5[3]} (table 1)` });
  await tools.locator('select').nth(1).selectOption({ label: `${k5[1]} (table 2)` });
  await sure(tools.getByRole('button', { name: 'Change places' }));
  await row('K-5', `${k5[0]} – ${k5[1]}`).waitFor();
  check(!/lost/i.test(await (await fetch(`${served.address}/`)).text()), 'the public page speaks of lost sensors');
  // A result that is confirmed for the wrong side is taken back on the same page.
  await result('K-5', k5[0], '0');
  score(k5[1], 2);
  await standings('K-5', 'a wrong result');
  const more = await opened(row('K-5', k5[0]).locator('details').filter({ hasText: 'Result from paper' }));
  await sure(more.getByRole('button', { name: 'Take back' }));
  score(k5[1], -2);
  await row('K-5', k5[0], 'to-play').waitFor();
  await standings('K-5', 'a wrong result taken back');
  await results('K-5', [[k5[0], '1'], [k5[2], '1'], [k5[4], '='], [k5[6], '1']]);
  [[k5[0], 2], [k5[2], 2], [k5[4], 1], [k5[5], 1], [k5[6], 2]].forEach((one) => score(...one));
  // An entered result without a confirmation is on the chief's list.
  const line = row('K-12', k12[0]);
  await line.focus();
  await desk.keyboard.press('1');
  await row('K-12', k12[0], 'to-confirm').waitFor();
  await open('/td');
  await desk.locator('.need').filter({ hasText: /onfirm/ }).first().waitFor();
  await take(desk, 'a result to confirm on the list');
  await open('/td/event');
  await row('K-12', k12[0]).focus();
  await desk.keyboard.press('c');
  score(k12[0], 2);
  await results('K-12', [[k12[2], '1'], [k12[4], '0'], [k12[6], '=']]);
  [[k12[2], 2], [k12[5], 2], [k12[6], 1], [k12[7], 1]].forEach((one) => score(...one));
  await results('Blitz', [[TEAMS.Blitz[0], '1'], [TEAMS.Blitz[2], '0']]);
  [[TEAMS.Blitz[0], 2], [TEAMS.Blitz[3], 2]].forEach((one) => score(...one));
  for (const of of Object.keys(TEAMS)) await standings(of, 'round 1');
  const heading = await viewer.locator('h2').first().innerText();
  check(/after round 1/.test(heading), `the standings are headed: ${heading}`);
  await take(viewer, 'standings after round 1');
}

async function roundTwo() {
  const [k5, k12] = [TEAMS['K-5'], TEAMS['K-12']];
  await open('/td/event');
  // One team leaves, and one comes late.
  const entrants = await opened(section('K-12').locator('details').filter({ hasText: 'Entrants (' }));
  await sure(entrants.locator('li').filter({ hasText: k12[7] }).getByRole('button', { name: 'Withdraw' }));
  await entrants.locator('li').filter({ hasText: k12[7] }).getByRole('button', { name: 'Returns' }).waitFor();
  await typed('teams', ['K-12,Late Larks,Kim Larkone,Lee Larktwo'], 'us-chess-bughouse-2018');
  TEAMS['K-12'].push('Late Larks');
  points['Late Larks'] = 0;
  for (const of of ['K-5', 'K-12']) await openRound(of, 2);
  // A rematch is named, and stays until a director changes it.
  const words = await typed('pairings', [
    ...pairings('K-5', 2, 1, [[k5[0], k5[2]], [k5[6], k5[4]], [k5[5], k5[1]], [k5[3], k5[7]]]),
    ...pairings('K-12', 2, 5, [[k12[0], k12[1]], [k12[5], k12[2]], [k12[6], k12[4]], ['Late Larks', k12[3]]]),
  ]);
  const found = await section('K-12').getByTestId('findings').innerText();
  check(/met|again|before/i.test(found + words), `the rematch is not named: ${found}`);
  // With the round only paired, the standings are those of the round before.
  await standings('K-5', 'round 2 paired');
  check(/after round 1/.test(await viewer.locator('h2').first().innerText()), 'the standings run ahead');
  await section('K-5').getByRole('button', { name: 'Round 2', exact: true }).click();
  await section('K-12').getByRole('button', { name: 'Round 2', exact: true }).click();
  await results('K-5', [[k5[0], '1'], [k5[6], '='], [k5[5], '0'], [k5[3], '1']]);
  [[k5[0], 2], [k5[6], 1], [k5[4], 1], [k5[1], 2], [k5[3], 2]].forEach((one) => score(...one));
  await results('K-12', [[k12[0], '0'], [k12[5], '1'], [k12[6], '1'], ['Late Larks', '1']]);
  [[k12[1], 2], [k12[5], 2], [k12[6], 2], ['Late Larks', 2]].forEach((one) => score(...one));
  for (const of of ['K-5', 'K-12']) await standings(of, 'round 2');
}

async function roundThree() {
  const [k5, k12] = [TEAMS['K-5'], TEAMS['K-12']];
  await open('/td/event');
  for (const of of ['K-5', 'K-12']) await openRound(of, 3);
  await typed('pairings', [
    ...pairings('K-5', 3, 1, [[k5[0], k5[6]], [k5[2], k5[4]], [k5[1], k5[3]], [k5[5], k5[7]]]),
    ...pairings('K-12', 3, 5, [[k12[5], k12[0]], [k12[6], k12[2]], [k12[1], 'Late Larks'], [k12[3], k12[4]]]),
  ]);
  for (const of of ['K-5', 'K-12']) await section(of).getByRole('button', { name: 'Round 3', exact: true }).click();
  // A forfeit, and one of both sides.
  await results('K-5', [[k5[0], '1'], [k5[2], '+'], [k5[1], 'x'], [k5[5], '=']]);
  [[k5[0], 2], [k5[2], 2], [k5[5], 1], [k5[7], 1]].forEach((one) => score(...one));
  await results('K-12', [[k12[5], '1'], [k12[6], '0'], [k12[1], '='], [k12[3], '1']]);
  [[k12[5], 2], [k12[2], 2], [k12[1], 1], ['Late Larks', 1], [k12[3], 2]].forEach((one) => score(...one));
  for (const of of Object.keys(TEAMS)) await standings(of, 'round 3');
  await take(desk, 'round 3 at the desk');
}

/** The whole ledger, and what everybody reads. */
async function afterwards() {
  await open('/td/report');
  const report = await desk.locator('main').innerText();
  for (const words of ['Late Larks', /withdr/i, /forfeit|F/, 'section K5 play here']) check(report.match(words) !== null, `the report does not have ${words}`);
  await take(desk, 'report');
  for (const path of ['/', '/pairings', '/standings?section=K-5']) {
    await viewer.goto(`${served.address}${path}`);
    await viewer.locator('main, .page, body').first().waitFor();
    const words = await viewer.evaluate(() => document.body.innerText);
    check(!/Kim |Lee |Avalos/.test(words), `${path} names a child`);
    check(!/Sensors lost/i.test(words), `${path} speaks of lost sensors`);
  }
  // Blitz ended with its first round: a tile without its round would be taken for one of the third.
  await viewer.goto(`${served.address}/`);
  for (const [table, round] of [[1, 'R3'], [9, 'R1']]) {
    const words = await viewer.locator(`.tile[data-table="${table}"] .tile-round`).textContent();
    check(words === round, `the tile of table ${table} has the round ${words}`);
  }
  await take(viewer, 'tiles of two rounds');
}

for (const step of [enterTheEvent, roundOne, roundTwo, roundThree, afterwards]) {
  const begun = Date.now();
  try {
    await step();
  } catch (error) {
    await take(desk, `failed ${step.name}`);
    failures.push(`${step.name}: ${error.message}`);
  }
  console.log(`${step.name}: ${Math.round((Date.now() - begun) / 100) / 10} s`);
  if (failures.length > 0) break;
}
await browser.close();
served.stop();
failures.forEach((failure) => console.error(failure));
process.exitCode = failures.length > 0 ? 1 : 0;
