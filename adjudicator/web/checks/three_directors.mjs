/**
 * Three directors with phones work a round: `node checks/three_directors.mjs PROGRAM FOLDER SPEED [--short] [--watch]`. PROGRAM is the built `twinboard`; children play at eight
 * tables (of a short round, which takes less than a minute, at three), and simulated players claim every wrong that is done to them and that the book has a claim for. Each director takes the most urgent claim that nobody has taken, goes to its table, looks
 * for ten seconds if the page is not for the player, says what stands on the board where the page asks for it, rules as the page says the rule points, and carries it out: where the claim is upheld both clocks are stopped, otherwise who claimed gets a minute.
 * The second one has no network for two minutes in the middle and goes on ruling; before it is back, a network that wants to be logged in to answers
 * in the server's place. What was done meanwhile must arrive once. The adjudicator is killed twice.
 *
 * At the end every claim that a player made has been ruled on once, every order to a clock was done once and the clock showed it, the ledger
 * says who ruled, and the records have the results. Pictures are put into FOLDER.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, freePort, letIn, startChromium, wait } from './phone.mjs';

const [program, folder, speed, ...options] = process.argv.slice(2);
const isShort = options.includes('--short');
const ADDRESS = `127.0.0.1:${await freePort()}`;
const BROKER = `127.0.0.1:${await freePort()}`;
const TABLES = isShort ? 3 : 8;
/** From then on the others leave the next claim to the second director, who loses the network in front of it. */
const OFFLINE_AFTER_MS = isShort ? 4_500 : 40_000;
const OFFLINE_MS = isShort ? 12_000 : 120_000;
/** With this seed a king and a queen stand swapped at one of the eight tables, and two flags fall. */
const SEED = isShort ? '11' : '33';
/** Claims that end the game when upheld; displaced pieces cost a warning first. */
const ENDS = new Set(['illegal-ply', 'flag-fall']);
/** Claims of a whole round that are not upheld although their match was not over: one is made wrongly, so that there is one within a minute. */
const NOT_UPHELD = 1;
/** Claims that occur at least once in a whole round. */
const KINDS = ['illegal-ply', 'displaced', 'flag-fall', 'set-up'];
/** Penalties of the rulebook for pressing the clock with the other hand: the first time, and the second. */
const LADDER = ['warning', '60 s'];
/** At the end of that, a network that wants to be logged in to. */
const PORTAL_MS = 3_000;
/** Pause between looks at the list of a phone without a network, which cannot change. */
const OFFLINE_LOOK_MS = isShort ? 1_000 : 5_000;
/** Times at which the adjudicator is killed: with all phones connected, and this long after one disconnected. */
const KILLED_AFTER_MS = isShort ? 4_000 : 30_000;
const KILLED_IN_ABSENCE_MS = isShort ? 6_000 : 60_000;
const DEAD_MS = isShort ? 1_000 : 3_000;
/** Remedies for the claimant where the claim is not upheld. */
const GIVEN = '1:00';
const GIVEN_MS = 60_000;
/** Time that the round is watched after its last ply. */
const ROUND_MS = isShort ? 45_000 : (9 * 60_000) / Number(speed) + 120_000;
/** Time that a director looks and asks at a table before ruling against the player: the last plies may not be inferred yet. */
const LOOK_MS = isShort ? 1_500 : 10_000;
/** Time that a director waits for a table without readings. */
const HEARD_MS = isShort ? 3_000 : 15_000;
/** Claims that came so long before the end of the watch are to be ruled on by then. */
const LATE_MS = isShort ? 10_000 : 30_000;

mkdirSync(folder, { recursive: true });
const state = mkdtempSync(join(tmpdir(), 'three-directors-'));
const config = join(state, 'adjudicator.toml');
writeFileSync(
  config,
  `[event]\nname = "Three directors"\n[http]\naddress = "${ADDRESS}"\nclock_rate = ${Number(speed).toFixed(1)}\ntd_token_file = "token"\n` +
    `[broker]\naddress = "${BROKER}"\n[store]\npath = "event.sqlite"\n`,
);
execFileSync(program, ['token', join(state, 'token')]);

/** Serves the event, and waits until it answers. */
async function serve() {
  const served = spawn(program, ['serve', '--config', config], { stdio: ['ignore', 'ignore', 'ignore'] });
  for (let tries = 0; tries < 100; tries += 1) {
    if (await fetch(`http://${ADDRESS}/healthz`).then(() => true, () => false)) return served;
    await wait(100);
  }
  throw new Error('the adjudicator does not answer');
}

let adjudicator = await serve();
const played = ['--tables', String(TABLES), '--players', 'scholastic', '--claims', 'every', '--seed', SEED, '--speed', speed];
const demo = spawn(program, ['demo', '--config', config, ...played, '--out', join(state, 'hall')], { stdio: ['ignore', 'pipe', 'inherit'] });
let said = '';
demo.stdout.on('data', (part) => (said += part));
while (!/PIN (\d+)/.test(said)) await wait(100);
const chiefUrl = said.match(/http:\S+\/td#\S+/)[0];
const chiefPin = said.match(/PIN (\d+)/)[1];

const browser = await startChromium({ headless: !options.includes('--watch') });
const failures = [];
const check = (is, words) => is || failures.push(words);

async function letInAs(url, pin) {
  const phone = await letIn(browser, url, pin, failures);
  await phone.page.evaluate(() => {
    window.taps = 0;
    document.addEventListener('click', ({ isTrusted }) => isTrusted && (window.taps += 1), true);
  });
  return { ...phone, ruled: [], looked: [], taps: [], orders: [], done: new Set() };
}

const chief = await letInAs(chiefUrl, chiefPin);
const phones = [];
for (const person of ['Ann', 'Flo', 'Sue']) {
  const invitation = await ask(chief.page, '/api/v1/td/invitations', { person, rank: 'floor', scope: {} });
  phones.push({ person, ...(await letInAs(`http://${ADDRESS}${invitation.path}`, invitation.pin)) });
}

// The round counts from the first item on the list, which play at the tables brings.
await chief.page.locator('.need').first().waitFor({ timeout: 120_000 });
const begun = Date.now();
const hasPassed = (ms) => Date.now() - begun > ms;
/** State of the second director: at the claim during which the network fails, and since when it has failed. */
let stands = false;
let offlineSince_ms = null;
const isOffline = () => offlineSince_ms !== null && Date.now() < offlineSince_ms + OFFLINE_MS;
async function until(holds) {
  while (!holds() && !hasPassed(ROUND_MS - OFFLINE_MS)) await wait(50);
}

/** Looks up the true ply that a seat's last claim is about, as a look at the board would show it. */
function playedAt(url, by) {
  const [side, board] = by.split('-');
  const table = decodeURIComponent(new URL(url).pathname.split('/').at(-1));
  const lines = said.matchAll(/table (\S+): (\S+) on board (\S+) claims .*; (\S+) was played/g);
  const own = [...lines].filter((line) => line[1] === table && `${line[2]}-${line[3]}`.toLowerCase() === `${side}-${board}`);
  return own.at(-1)?.[4];
}

/** Answers the page's question about the board. Returns the answer in words. */
async function lookAtTheBoard(page, claim) {
  const asked = claim.getByTestId('look-at');
  if (!(await asked.isVisible().catch(() => false))) return null;
  const by = await claim.getAttribute('data-by', { timeout: 4_000 }).catch(() => null);
  const played = by === null ? undefined : playedAt(page.url(), by);
  const answer = asked.locator(`button[data-uci="${played}"]`);
  if (played === undefined || !(await answer.isVisible().catch(() => false))) return null;
  await page.screenshot({ path: join(folder, 'look-at.png'), fullPage: true });
  // The page stops asking once the ply is inferred.
  if (!(await answer.tap({ timeout: 2_000 }).then(() => true, () => false))) return null;
  // Without a network there is no answer.
  await asked.waitFor({ state: 'detached', timeout: 4_000 }).catch(() => undefined);
  return `${page.url()}: a director looked at the board and stated ${played}`;
}

/** Orders the clocks to show a ruling. Returns the order in words, or the failure. */
async function carryOut(page, label) {
  const clocks = page.locator('[data-testid="clock-orders"]');
  const isRunning = async () => (await clocks.getByRole('button', { name: 'Stop', exact: true, includeHidden: true }).count()) > 0;
  const touch = (name) => clocks.getByRole('button', { name, exact: !name.endsWith('?') }).first().tap({ timeout: 4_000 });
  // A player who claims a flag has stopped the clocks, and play is over.
  if (!(await isRunning())) return [];
  if (label === 'Uphold') {
    await touch('Stop both boards');
    await touch('Stop both boards?');
    return [];
  }
  const board = clocks.locator('details.one-clock').first();
  await board.locator('summary').tap({ timeout: 4_000 });
  await board.locator('input').fill(GIVEN);
  await touch(`Give ${GIVEN}`);
  await touch(`Give ${GIVEN}?`);
  return [];
}

/** Readings of a clock during the round, in which an order must appear. */
const readings = new Map();
async function watchClocks() {
  while (Date.now() - begun < ROUND_MS + 6_000) {
    const round = await fetch(`http://${ADDRESS}/api/v1/round`).then((answer) => answer.json(), () => null);
    for (const table of round?.tables ?? []) {
      for (const board of ['A', 'B']) {
        const clock = table.boards[board]?.clock;
        if (table.match === null || clock === null || clock === undefined) continue;
        const seen = readings.get(`${table.match} ${board}`) ?? [];
        readings.set(`${table.match} ${board}`, seen);
        if (seen.at(-1)?.read_at_ms !== clock.read_at_ms) seen.push(clock);
      }
    }
    await wait(100);
  }
}

/** Checks whether readings show a stopped clock, or a side that received its time. */
function isShown(seen, change) {
  if (change === 'stop') return seen.some(({ running }) => running === null);
  const gained = (side) => seen.some((clock, index) => index > 0 && clock[side] - seen[index - 1][side] > GIVEN_MS / 2);
  return gained('white_ms') || gained('black_ms');
}

/** The chief gives two penalties for the same at the last table: the page proposes the book's step, and the next one after it. */
async function walkTheLadder({ page }) {
  await page.goto(`http://${ADDRESS}/td/table/${TABLES}`);
  const penalty = page.locator('details.penalise');
  await penalty.locator('summary').tap();
  await penalty.getByLabel('For what').selectOption('clock-hand');
  const proposed = penalty.getByTestId('next-penalty');
  for (const [count, step] of LADDER.entries()) {
    await proposed.filter({ hasText: step }).waitFor();
    await penalty.getByRole('button', { name: 'Give the penalty' }).tap();
    await penalty.getByRole('button', { name: 'Give the penalty?' }).tap();
    await page.getByTestId('ledger').filter({ hasText: `offence ${count + 1}: ${step}` }).waitFor();
    if (count === 0) await page.screenshot({ path: join(folder, 'ladder.png') });
  }
}

async function killTwice() {
  const kill = async () => {
    adjudicator.kill('SIGKILL');
    await wait(DEAD_MS);
    adjudicator = await serve();
  };
  await wait(KILLED_AFTER_MS - (Date.now() - begun));
  await kill();
  await until(() => offlineSince_ms !== null);
  await wait(KILLED_IN_ABSENCE_MS);
  await kill();
}

/** Works until the round is over: takes, goes there, rules, comes back. */
async function work(phone) {
  const { page } = phone;
  while (Date.now() - begun < ROUND_MS - (isShort ? 1_000 : 0)) {
    // Claims without a director, and claims that this director took and could not reach.
    const free = page.locator('.need[data-urgency="claim"][data-taken="false"] a.need-words');
    const own = page.locator('.need[data-urgency="claim"]', { hasText: 'yours' }).locator('a.need-words');
    const need = free.or(own).first();
    // A claim that was ruled on without a network is still on the last received list.
    const id = await need.evaluate((link) => link.closest('.need').dataset.need, null, { timeout: 500 }).catch(() => null);
    if (isOffline() && phone === phones[1] && phone.done.has(id)) {
      await wait(OFFLINE_LOOK_MS);
      continue;
    }
    const isLeft = phone !== phones[1] && offlineSince_ms === null && hasPassed(OFFLINE_AFTER_MS);
    phone.isBusy = false;
    if (isLeft || !(await need.isVisible().catch(() => false))) {
      await wait(300);
      continue;
    }
    // Pages follow one another without being loaded: the count goes on, and is 0 where one had to be.
    const before = await page.evaluate(() => window.taps ?? 0);
    phone.isBusy = true;
    const reached = await need.tap({ timeout: 2_000 }).then(() => true, () => false);
    if (!reached) continue;
    const claim = page.locator('[data-testid="claim"]').first();
    const there = await claim.waitFor({ timeout: 8_000 }).then(() => true, () => false);
    if (there) {
      // A director who is at a table when the network fails rules there all the same.
      const isAlone = phones.every((other) => other === phone || !other.isBusy);
      if (phone === phones[1] && isAlone && offlineSince_ms === null && hasPassed(OFFLINE_AFTER_MS)) {
        stands = true;
        while (offlineSince_ms === null) await wait(50);
      }
      const isSeen = claim.and(page.locator('[data-points="upheld"]')).waitFor({ timeout: LOOK_MS });
      const isBorneOut = await isSeen.then(() => true, () => false);
      const looked = isBorneOut ? null : await lookAtTheBoard(page, claim);
      if (looked !== null) phone.looked.push(looked);
      // Right after a kill nothing of the table is heard, and the rule points nowhere: whoever has a network waits, as the guide says.
      const isHeard = () => claim.filter({ hasNotText: 'No data arrives from this table' }).waitFor({ timeout: HEARD_MS });
      if (phone !== phones[1] || !isOffline()) await isHeard().catch(() => undefined);
      // Another director may have ruled on it meanwhile: then it is gone.
      const points = await claim.getAttribute('data-points', { timeout: 4_000 }).catch(() => null);
      // A director sees what the boards cannot show: a king and a queen on each other's squares.
      const isLookedAt = points === 'unclear' && (await claim.innerText().catch(() => '')).includes('look at the position');
      const label = points === 'upheld' || isLookedAt ? 'Uphold' : points === 'denied' ? 'Deny' : 'Play on';
      const touch = (name) => claim.getByRole('button', { name }).first().tap({ timeout: 4_000 });
      const ruled = await touch(label).then(() => touch(`${label}?`)).then(() => true, () => false);
      const taps = (await page.evaluate(() => window.taps ?? 0)) - before;
      if (ruled) phone.ruled.push({ label, url: page.url(), offline: phone === phones[1] && isOffline() });
      if (ruled) phone.taps.push(taps);
      if (ruled) phone.done.add(id);
      // A director who learns that another was quicker leaves the clocks to the other.
      await wait(300);
      const isLate = await page.locator('.outcome.refused').isVisible();
      if (ruled && !isLate) phone.orders.push(...(await carryOut(page, label).catch((error) => [`${page.url()}: ${error.message}`])));
      await wait(500);
      if (ruled && phone.ruled.length === 1) await page.screenshot({ path: join(folder, `${phone.person}-ruled.png`) });
    }
    // Also without a network: the last received list is there.
    await page.getByRole('link', { name: 'Open items' }).tap({ timeout: 4_000 }).catch(() => undefined);
    // A list on which there is nothing has no size.
    const isBack = await page.locator('[data-testid="needs"]').waitFor({ state: 'attached', timeout: 4_000 }).then(() => true, () => false);
    if (!isBack) failures.push(`${phone.person} could not go back to the list: ${page.url()}`);
    if (!isBack) await page.goto(`http://${ADDRESS}/td`).catch(() => undefined);
    if (phone === phones[1] && isOffline()) await wait(OFFLINE_LOOK_MS);
  }
}

async function cutTheNetwork({ context, page, person }) {
  await until(() => stands);
  await context.setOffline(true);
  offlineSince_ms = Date.now();
  await wait(OFFLINE_MS / 2);
  await page.screenshot({ path: join(folder, `${person}-offline.png`) });
  await wait(OFFLINE_MS / 2 - PORTAL_MS);
  await page.route('**/api/v1/td/acts', (route) => route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Log in</h1>' }));
  await context.setOffline(false);
  await wait(PORTAL_MS);
  await page.unroute('**/api/v1/td/acts');
}

/** The claims that were there while there was time to rule on them. */
const early = new Set();
async function watchClaims() {
  await wait(ROUND_MS - LATE_MS - (Date.now() - begun));
  const { matches } = await ask(chief.page, '/api/v1/matches');
  for (const { match } of matches) {
    for (const { act } of (await ask(chief.page, `/api/v1/td/matches/${match}`)).claims) early.add(`${match} ${act}`);
  }
}

await Promise.all([...phones.map(work), cutTheNetwork(phones[1]), killTwice(), walkTheLadder(chief), watchClocks(), watchClaims()]);
await wait(3_000);
await chief.page.goto(`http://${ADDRESS}/td`);
await chief.page.locator('[data-testid="needs"]').waitFor();
await chief.page.screenshot({ path: join(folder, 'chief-end.png') });

const { matches } = await ask(chief.page, '/api/v1/matches');
const made = said.match(/claims \([a-z-]+\)/g) ?? [];
const found = { claims: 0, open: 0, ruled: 0, upheld: 0, orders: 0, shown: 0, turned: false };
failures.push(...phones.flatMap(({ orders }) => orders));
/** Counts claims by kind and outcome. */
const tally = new Map();
/** The claims that were ruled on and not upheld, of those that came before one that ended their match. */
const notUpheld = [];
for (const { match } of matches) {
  const shown = await ask(chief.page, `/api/v1/td/matches/${match}`);
  const rulings = shown.ledger.filter(({ kind }) => kind === 'ruling');
  const ruled = shown.claims.filter(({ state }) => !['open', 'withdrawn'].includes(state));
  found.claims += shown.claims.length;
  found.open += shown.claims.filter(({ act, state }) => state === 'open' && early.has(`${match} ${act}`)).length;
  found.ruled += ruled.length;
  check(rulings.length === ruled.length, `${match}: ${ruled.length} claims were ruled on, and the ledger has ${rulings.length} rulings`);
  check(rulings.every(({ person }) => phones.some((phone) => phone.person === person)), `${match}: somebody else ruled`);
  for (const { kind, by, state, verdict, since } of shown.claims) {
    if (since !== null && !found.turned) {
      found.turned = true;
      await chief.page.goto(`http://${ADDRESS}/td/table/${match.match(/hub-(\d+)/)[1]}`);
      await chief.page.getByTestId('since').first().screenshot({ path: join(folder, 'turned.png') });
    }
    const turned = since === null ? '' : `; seen otherwise since: ${since.says}`;
    if (state !== 'upheld' || turned) console.log(`${match}: ${by} claimed ${kind}, ${state}: ${verdict.timing}; ${verdict.says}${turned}`);
  }
  const inOrder = shown.claims.filter(({ act }) => early.has(`${match} ${act}`)).sort((one, other) => one.act - other.act);
  const last = inOrder.findIndex(({ kind, state }) => state === 'upheld' && ENDS.has(kind));
  const whilePlayed = last < 0 ? inOrder : inOrder.slice(0, last);
  notUpheld.push(...whilePlayed.filter(({ state }) => state !== 'upheld').map(({ kind, by, state }) => `${match}: ${kind} by ${by}, ${state}`));
  for (const { kind, state } of shown.claims) tally.set(`${kind} ${state}`, (tally.get(`${kind} ${state}`) ?? 0) + 1);
  if (ruled.some(({ kind, state }) => state === 'upheld' && ENDS.has(kind))) {
    found.upheld += 1;
    const record = await fetch(`http://${ADDRESS}/api/v1/matches/${match}.bpgn`).then((answer) => answer.text());
    check(!/\[Result "\*"\]/.test(record), `${match}: a claim was upheld and the record has no result`);
  }
  for (const { act, board, state: became, what } of shown.orders.filter((order) => order.board !== null)) {
    found.orders += 1;
    check(became === 'done', `${match}: ${what}, act ${act}, became ${became}`);
    const isSeen = isShown(readings.get(`${match} ${board}`) ?? [], what.includes('stop') ? 'stop' : 'give');
    check(isSeen, `${match}: ${what} was not seen on the clock`);
    found.shown += isSeen ? 1 : 0;
  }
}
const kinds = new Set(made.map((one) => one.slice('claims ('.length, -1)));
for (const kind of isShort ? [] : KINDS) check(kinds.has(kind), `nobody claimed ${kind}`);
check(isShort || notUpheld.length <= NOT_UPHELD, `rightful claims were not upheld: ${notUpheld.join('; ')}`);
for (const kind of isShort ? [] : KINDS) check(tally.has(`${kind} upheld`), `no claim of ${kind} was upheld`);
check(early.size > 0 && found.ruled > 0, 'nothing was claimed and ruled on');
check(found.claims >= made.length, `${made.length} claims were made and ${found.claims} are there`);
const left = await chief.page.locator('.need[data-urgency="claim"]').allInnerTexts();
check(found.open === 0, `${found.open} claims were not ruled on: ${left.join('; ').replaceAll('\n', ' ')}`);
for (const line of phones.flatMap(({ looked }) => looked)) console.log(line);
for (const { person, ruled, taps } of phones) console.log(`${person}: ${ruled.length} rulings, at most ${Math.max(0, ...taps)} taps each, ${ruled.filter(({ offline }) => offline).length} without a network`);
console.log(`${matches.length} matches; players made ${made.length} claims, ${found.claims} came, ${found.ruled} were ruled on, ${found.upheld} matches ended by one; ${[...tally].map(([what, count]) => `${what}: ${count}`).sort().join(', ')}; ${found.orders} orders to clocks, ${found.shown} seen there; the adjudicator was killed twice`);
check(isShort || phones[1].ruled.some(({ offline }) => offline), 'no director ruled without a network');
check(phones.every(({ taps }) => taps.every((count) => count <= 4)), 'a ruling took more than four taps');
for (const failure of failures) console.log(`! ${failure}`);
await browser.close();
demo.kill('SIGTERM');
adjudicator.kill('SIGTERM');
process.exitCode = failures.length > 0 ? 1 : 0;
