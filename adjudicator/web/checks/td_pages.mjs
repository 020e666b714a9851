/**
 * The directors' pages for everybody: `node checks/td_pages.mjs PROGRAM FOLDER`. PROGRAM is the built `twinboard`; children play one match
 * in a demonstration. Each page is judged as a screen reader, a keyboard, a thumb and an eye by day and by night meet it (`reach.mjs`), in
 * the states that matter: a claim that waits, a position that is set up, orders to clocks, questions about the record. An impossible act
 * is tried, and said on the page. A claim is ruled on with keys alone, and the ruling is appealed; a reload and a loss of
 * the network lose nothing.
 * Pictures are put into FOLDER.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DESK, faults } from './languages.mjs';
import { ask, letIn, play, startChromium } from './phone.mjs';
import { accessibilityTree, barriers } from './reach.mjs';

const [program, folder] = process.argv.slice(2);
/** Speed of play: the match must last until a position was set up in it, also on a machine that does three other things. */
const SPEED = '4';
const SEED = '4';
const LOOK_MS = 120_000;

mkdirSync(folder, { recursive: true });
const demo = await play(program, ['--tables', '1', '--matches', '1', '--players', 'scholastic', '--seed', SEED, '--speed', SPEED]);
const { address } = demo;

const failures = [];
const check = (is, words) => is || failures.push(words);
const browser = await startChromium();
const { context, page } = await letIn(browser, demo.director, demo.pin, failures);
page.setDefaultTimeout(LOOK_MS);

const outcome = page.getByTestId('outcome');
const take = (name) => page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });

/** Judges the page as it is, with all that can be opened open. */
async function judge(name) {
  await page.locator('details:not([open])').evaluateAll((parts) => parts.forEach((part) => (part.open = true)));
  failures.push(...(await barriers(page, name)));
  await take(name);
}

/** Reads the page's sentence about a refused act. */
async function refused(words, name) {
  await outcome.filter({ hasText: 'Not done' }).filter({ hasText: words }).waitFor();
  await take(name);
}

/** A button that asks once more before it does it, with keys. */
async function press(button) {
  const { keyboard } = button.page();
  await button.focus();
  await keyboard.press('Enter');
  await keyboard.press('Enter');
}

/** Names the focused element once the pressed control has been drawn again. */
async function focusOn(name, on, words) {
  const there = await on.waitForFunction((wanted) => (document.activeElement?.tagName ?? '') === wanted, name, { timeout: LOOK_MS }).catch(() => undefined);
  check(there !== undefined, words);
}

/** The focus that stays where one can go on by keys: a page whose focus is lost has it on its body. */
async function focusStays(on, words) {
  const there = await on.waitForFunction(() => document.activeElement !== document.body, undefined, { timeout: LOOK_MS }).catch(() => undefined);
  check(there !== undefined, words);
}

async function seeTheList() {
  await page.locator('.need[data-urgency="claim"]').first().waitFor();
  await page.getByTestId('called').filter({ hasText: 'claims' }).waitFor();
  await judge('list');
  await page.getByRole('button', { name: 'Sound' }).click();
  await page.getByTestId('missing').filter({ hasNotText: 'Touch the page once' }).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Sound', pressed: true }).waitFor();
  const take = page.locator('.need').getByRole('button', { name: 'Assign to me', exact: true }).first();
  await take.focus();
  await page.keyboard.press('Enter');
  await page.locator('.need', { hasText: 'yours' }).first().waitFor();
  await focusOn('BUTTON', page, 'the focus is not on a button after an item is assigned');
  await page.locator('.need[data-urgency="claim"] a.need-words').first().focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('claim').first().waitFor();
  await focusOn('H1', page, 'the focus is not on the heading after a link was followed');
}

/** Claims, clocks, positions and what cannot be done, while the match is played. */
async function seeTheTable() {
  await page.getByTestId('considered').waitFor();
  await judge('table with a claim');
  const clock = page.locator('details.one-clock').first();
  await clock.getByRole('button', { name: 'Stop' }).click();
  await page.locator('[data-testid="orders"] > li[data-state="done"]').first().waitFor();
  await clock.locator('input').fill('9:59:58');
  await press(clock.getByRole('button', { name: /^Give/ }));
  // The server knows the clock's times, or the clock reports them.
  const byClock = page.locator('[data-testid="orders"] > li[data-state="refused"]', { hasText: 'the clock cannot show such a time' });
  await byClock.or(outcome.filter({ hasText: 'a clock shows from 0 to 10 hours' })).first().waitFor();
  await take('a clock out of range');
  await clock.locator('input').fill('soon');
  await clock.getByText('Write a time such as').waitFor();
  const done = page.locator('[data-testid="orders"] > li[data-state="done"]');
  for (const [seconds, words] of [['5', '5 s delay'], ['0', 'no delay']]) {
    await clock.locator('.delay select').last().selectOption(seconds);
    await press(clock.getByRole('button', { name: `Order ${words}` }));
    await done.filter({ hasText: `clock A: ${words}` }).first().waitFor();
  }
  await take('another delay');
  await clock.getByRole('button', { name: 'Go on' }).click();
}

/** An act that was kept on the phone since another event. */
async function sendWhatIsGone() {
  await page.evaluate(() => {
    const deed = { of: 'clock', match: 'gone-9', board: 'A', change: { clock: 'pause' } };
    localStorage.setItem('twinboard.td.queue', JSON.stringify([{ key: 'of another event', deed, label: 'Table 9: clock A stopped' }]));
  });
  await page.reload();
  await refused('there is no match gone-9', 'an unknown match');
  await page.getByTestId('waiting').waitFor({ state: 'detached' });
}

/** Reinstates a position, looks at it, and withdraws it. */
async function putUp() {
  for (let back = 0; back < 3; back += 1) await page.getByTestId('previous').click();
  const record = page.locator('details.put-right');
  if (!(await record.evaluate((part) => part.open))) await record.locator('summary').click();
  await press(page.getByRole('button', { name: /^Reinstate the position/ }));
  await page.locator('[data-testid="put-up"][data-state="waiting"]').waitFor();
  await judge('table with a position');
  await press(page.getByRole('button', { name: /^Take the position back/ }));
  await page.getByTestId('put-up').waitFor({ state: 'detached' });
  await focusStays(page, 'the focus is lost when a position is taken back');
}

/** Enters an impossible ply, as a player may remember one. */
async function contradict() {
  await page.getByTestId('first').click();
  await page.getByTestId('next').click();
  const ply = page.locator('[data-testid="ply"]');
  await ply.waitFor();
  const told = (await ply.innerText()).includes('a3') ? 'h2h3' : 'a2a3';
  await page.locator('details.put-right input').fill(told);
  await page.getByRole('button', { name: 'It was this' }).click();
  await outcome.filter({ hasText: `was ${told}` }).waitFor();
}

/** A floor director rules on the claim with keys alone, a team appeals, and the chief decides. */
async function rule() {
  const invitation = await ask(page, '/api/v1/td/invitations', { person: 'Flo', rank: 'floor', scope: {} });
  const flo = (await letIn(browser, `${address}${invitation.path}`, invitation.pin, failures)).page;
  await flo.goto(`${address}/td/table/1`);
  await press(flo.getByTestId('claim').first().getByRole('button', { name: /^Deny/ }));
  await flo.getByTestId('ledger').filter({ hasText: 'ruled denied' }).waitFor();
  await focusStays(flo, 'the focus is lost when a claim is ruled on');
  await press(flo.getByTestId('ruled').getByRole('button', { name: /appeals$/ }).first());
  await flo.getByTestId('appealed').filter({ hasText: 'The section chief decides' }).waitFor();
  await page.getByRole('link', { name: /^Open items/ }).click();
  await page.locator('.need', { hasText: 'Appeal:' }).locator('a.need-words').click();
  const appealed = page.getByTestId('appealed');
  await appealed.getByLabel('Reasons of the section chief').fill('both players were heard');
  await judge('table with an appeal');
  await press(appealed.getByRole('button', { name: /^The claim is denied/ }));
  const ledger = page.getByTestId('ledger');
  await ledger.filter({ hasText: 'appeal decided, denied' }).filter({ hasText: 'both players were heard' }).waitFor();
  await page.getByText('This decision is final.').waitFor();
}

/** Checks that decisions are there after a reload and without a network, and that a lost connection calls on every page. */
async function lose() {
  const ledger = page.getByTestId('ledger');
  const ruled = async () => (await ledger.innerText()).split('\n').filter((line) => line.includes('ruled denied')).join();
  const before = await ruled();
  await page.reload();
  await ledger.filter({ hasText: 'ruled denied' }).waitFor();
  check((await ruled()) === before, 'the ruling is another one after a reload');
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Open items' }).click();
  await page.locator('[data-testid="line"][data-line="stale"]').waitFor();
  await page.goBack();
  await ledger.filter({ hasText: 'ruled denied' }).waitFor();
  await page.locator('[data-testid="alarm"][data-alarm="line"]').waitFor();
  await take('no connection');
  await context.setOffline(false);
  await page.locator('[data-testid="line"][data-line="live"]').waitFor();
}

async function seeTheRest() {
  for (const [path, there, name] of [
    ['/td/event', '.td-bar', 'event'],
    ['/td/round', '[data-testid="told"]', 'round'],
    ['/td/families', '.td-bar', 'families'],
    ['/td/slips', '.td-bar', 'slips'],
    ['/td/prizes', '.td-bar', 'prizes'],
    ['/td/certificates', '.td-bar', 'certificates'],
    ['/td/stream', '[data-testid="on-stream"] [data-table]', 'stream'],
    ['/td/staff', '[data-testid="devices"] li', 'devices'],
    ['/td/report', '[data-testid="report"] li', 'report'],
    ['/td/rules/us-chess-bughouse-2018', '.rules dt', 'rules'],
  ]) {
    await page.goto(address + path);
    await page.locator(there).first().waitFor();
    if (name === 'devices') {
      await page.getByLabel('Name, as the ledger will have it').fill('Sue');
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByTestId('invitation').waitFor();
    }
    await judge(name);
  }
  await giveAScreen();
  await callFromTheTable();
  const stranger = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage();
  await stranger.goto(`${address}/td#no-token`);
  await stranger.locator('#pin').waitFor();
  failures.push(...(await barriers(stranger, 'being let in')));
}

/** A browser that opens `/screen` is given a countdown by its number, and shows it. */
async function giveAScreen() {
  const screen = await (await browser.newContext({ viewport: { width: 1920, height: 1080 } })).newPage();
  await screen.goto(`${address}/screen`);
  await screen.getByRole('heading', { name: 'Screen 1' }).waitFor();
  await page.goto(`${address}/td/screens`);
  const line = page.locator('[data-screen="1"][data-online="true"]');
  await line.waitFor();
  await line.getByLabel('Shows').selectOption('countdown');
  await line.getByLabel('Name').fill('Door');
  await line.getByRole('button', { name: 'Show it' }).click();
  await screen.getByTestId('countdown').waitFor();
  await page.locator('.need', { hasText: 'Screen 1, Door' }).waitFor();
  await judge('screens');
  await screen.context().close();
}

/** A table's link is made, and a director called by it, who finds the call on the list. */
async function callFromTheTable() {
  await ask(page, '/api/v1/td/acts', { key: 'tables', deed: { of: 'event', deeds: [{ kind: 'tables-listed', tables: ['1'] }] } });
  await page.goto(`${address}/td/tables`);
  const line = page.locator('[data-testid="table-links"] li').first();
  await press(line.getByRole('button', { name: /Link|New link/ }).first());
  await page.getByTestId('links').waitFor();
  await judge('links of tables');
  const [path] = (await page.getByTestId('links').innerText()).match(/http:\S+\/at-table#\S+/);
  const table = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage();
  await table.goto(path);
  await table.getByRole('button', { name: 'Call a director' }).click();
  await table.getByRole('button', { name: 'Touch once more' }).click();
  await page.goto(`${address}/td`);
  const called = page.locator('.need[data-urgency="call"]');
  await called.getByRole('button', { name: 'Assign to me' }).click();
  await table.getByText('A director is on the way').waitFor();
  await called.getByRole('button', { name: 'Done' }).click();
  await table.getByRole('button', { name: 'Call a director' }).waitFor();
  await table.context().close();
}

/** Answers the record's questions after the match, and reads how the boards' readings agree with the answers. */
async function seeTheRecord() {
  await page.goto(`${address}/td/table/1`);
  await page.locator('[data-testid="orders"] > li[data-state="contradicted"]').first().waitFor();
  await take('a fact that contradicts the boards');
  // A hall on a busy machine leaves more than one.
  await page.getByTestId('question').first().waitFor();
  await judge('table with a question');
  const statuses = (await accessibilityTree(page)).filter(({ role }) => role === 'status');
  check(statuses.length > 0, 'nothing on the page is announced');
}

try {
  await seeTheList();
  await seeTheTable();
  await putUp();
  await contradict();
  await rule();
  await lose();
  await sendWhatIsGone();
  await seeTheRest();
  await seeTheRecord();
  failures.push(...(await faults(context, address, DESK)));
} catch (error) {
  failures.push(`${error.message}`);
  await take('where it ended').catch(() => undefined);
} finally {
  await browser.close();
  demo.stop();
}
for (const failure of failures) console.log(`! ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;
