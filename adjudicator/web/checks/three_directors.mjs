/**
 * Three directors with phones work a round: `node checks/three_directors.mjs PROGRAM SPEED FOLDER`. PROGRAM is the built `twinboard`; children play at eight
 * tables, and simulated players claim. Each director takes the most urgent claim that nobody has taken, goes to its table, and rules as the
 * page says the rule points. The second one has no network for two minutes in the middle and goes on ruling; what was done meanwhile must
 * arrive once.
 *
 * At the end every claim has been ruled on once, and the ledger and the report say it. Pictures are put into FOLDER.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [program, speed, folder] = process.argv.slice(2);
const ADDRESS = '127.0.0.1:18432';
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const OFFLINE_AFTER_MS = 60_000;
const OFFLINE_MS = 120_000;
/** How long the round is watched after its last ply. */
const ROUND_MS = (9 * 60_000) / Number(speed) + 120_000;

mkdirSync(folder, { recursive: true });
const state = mkdtempSync(join(tmpdir(), 'three-directors-'));
const demo = spawn(program, ['demo', '--tables', '8', '--players', 'scholastic', '--seed', '11', '--speed', speed, '--http', ADDRESS, '--out', state], { stdio: ['ignore', 'pipe', 'inherit'] });
let said = '';
demo.stdout.on('data', (part) => (said += part));
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
while (!/PIN (\d+)/.test(said)) await wait(100);
const chiefUrl = said.match(/http:\S+\/td#\S+/)[0];
const chiefPin = said.match(/PIN (\d+)/)[1];

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
const failures = [];

async function letIn(url, pin) {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  page.on('pageerror', (error) => failures.push(error.message));
  await page.goto(url);
  await page.fill('#pin', pin);
  await page.getByRole('button', { name: 'Let this device in' }).tap();
  await page.locator('[data-testid="needs"]').waitFor();
  return { context, page, ruled: [], taps: [] };
}

/** Asks the server as the page does. */
const ask = (page, path, body) =>
  page.evaluate(
    async ([address, sent]) => {
      const key = localStorage.getItem('twinboard.td.key');
      const init = sent === null ? {} : { method: 'POST', body: JSON.stringify(sent) };
      const answer = await fetch(address, { ...init, headers: { 'x-twinboard-key': key, 'content-type': 'application/json' } });
      return answer.json();
    },
    [path, body ?? null],
  );

const chief = await letIn(chiefUrl, chiefPin);
const phones = [];
for (const person of ['Ann', 'Flo', 'Sue']) {
  const invitation = await ask(chief.page, '/api/v1/td/invitations', { person, rank: 'floor', scope: {} });
  phones.push({ person, ...(await letIn(`http://${ADDRESS}${invitation.path}`, invitation.pin)) });
}

const begun = Date.now();
const isOffline = () => Date.now() - begun > OFFLINE_AFTER_MS && Date.now() - begun < OFFLINE_AFTER_MS + OFFLINE_MS;

const isSoonOffline = () => Date.now() - begun > OFFLINE_AFTER_MS - 20_000 && Date.now() - begun <= OFFLINE_AFTER_MS + 1_000;

/** Works until the round is over: takes, goes there, rules, comes back. */
async function work(phone) {
  const { page } = phone;
  while (Date.now() - begun < ROUND_MS) {
    // What nobody has taken, and what this one took and could not reach.
    const free = page.locator('.need[data-urgency="claim"][data-taken="false"] a.need-words');
    const own = page.locator('.need[data-urgency="claim"]', { hasText: 'yours' }).locator('a.need-words');
    const need = free.or(own).first();
    if (!(await need.isVisible().catch(() => false))) {
      await wait(300);
      continue;
    }
    let taps = 1;
    const reached = await need.tap({ timeout: 2_000 }).then(() => true, () => false);
    if (!reached) continue;
    const claim = page.locator('[data-testid="claim"]').first();
    const there = await claim.waitFor({ timeout: 8_000 }).then(() => true, () => false);
    if (there) {
      // Who is at a table when the network goes rules there all the same.
      while (phone === phones[1] && isSoonOffline()) await wait(200);
      // Somebody else may have ruled on it meanwhile: then there is none any more.
      const points = await claim.getAttribute('data-points', { timeout: 4_000 }).catch(() => null);
      const label = points === 'upheld' ? 'Uphold' : points === 'denied' ? 'Deny' : 'Play on';
      const touch = (name) => claim.getByRole('button', { name }).first().tap({ timeout: 4_000 });
      const ruled = await touch(label).then(() => touch(`${label}?`)).then(() => true, () => false);
      taps += 2;
      if (ruled) phone.ruled.push({ label, url: page.url(), offline: phone === phones[1] && isOffline() });
      if (ruled) phone.taps.push(taps);
      await wait(500);
      if (ruled && phone.ruled.length === 1) await page.screenshot({ path: join(folder, `${phone.person}-ruled.png`) });
    }
    // Without a network the page cannot be left: it stays, and keeps what was decided.
    while (phone === phones[1] && isOffline()) await wait(500);
    await page.goto(`http://${ADDRESS}/td`).catch(() => undefined);
    await page.locator('[data-testid="needs"]').waitFor({ timeout: 10_000 }).catch(() => undefined);
  }
}

async function cutTheNetwork({ context, page, person }) {
  await wait(OFFLINE_AFTER_MS - (Date.now() - begun));
  await context.setOffline(true);
  await wait(OFFLINE_MS / 2);
  await page.screenshot({ path: join(folder, `${person}-offline.png`) });
  await wait(OFFLINE_MS / 2);
  await context.setOffline(false);
}

await Promise.all([...phones.map(work), cutTheNetwork(phones[1])]);
await wait(3_000);
await chief.page.goto(`http://${ADDRESS}/td`);
await chief.page.locator('[data-testid="needs"]').waitFor();
await chief.page.screenshot({ path: join(folder, 'chief-end.png') });

const { matches } = await ask(chief.page, '/api/v1/matches');
let claims = 0;
let unruled = 0;
for (const { match } of matches) {
  const shown = await ask(chief.page, `/api/v1/td/matches/${match}`);
  for (const claim of shown.claims) {
    claims += 1;
    if (claim.state === 'open') unruled += 1;
    else if (claim.state !== 'withdrawn') {
      const rulings = shown.ledger.filter(({ kind }) => kind === 'ruling').length;
      assert.ok(rulings >= 1, `${match}: a ruling that the ledger does not know`);
    }
  }
  const rulings = shown.ledger.filter(({ kind }) => kind === 'ruling');
  const ruled = shown.claims.filter(({ state }) => !['open', 'withdrawn'].includes(state));
  assert.equal(rulings.length, ruled.length, `${match}: each claim is ruled on once`);
}
const done = phones.flatMap(({ ruled }) => ruled);
for (const { person, ruled, taps } of phones) console.log(`${person}: ${ruled.length} rulings, at most ${Math.max(0, ...taps)} taps each, ${ruled.filter(({ offline }) => offline).length} without a network`);
console.log(`${matches.length} matches, ${claims} claims, ${unruled} not ruled on; ${done.length} rulings given`);
for (const failure of failures) console.log(`! ${failure}`);
await browser.close();
demo.kill('SIGTERM');
process.exitCode = failures.length + unruled > 0 ? 1 : 0;
