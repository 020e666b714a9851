/** A director's phone in Chromium: paired by code and PIN, touched, and asking the server as the pages do; and the programs before it. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** `CHROMIUM` names another browser than Debian's. It must not look for its maker's hosts. */
export const startChromium = (options = {}) =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'], ...options });

/** A port without a listener. */
export function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Pairs a phone and opens the list; errors of its pages are added to `failures`. */
export async function letIn(browser, url, pin, failures) {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  page.on('pageerror', (error) => failures.push(error.message));
  await page.goto(url);
  await page.fill('#pin', pin);
  await page.getByRole('button', { name: 'Pair this device' }).tap();
  // A list on which there is nothing has no size.
  await page.locator('[data-testid="needs"]').waitFor({ state: 'attached' });
  return { context, page };
}

/** Asks the server as the page does. */
export const ask = (page, path, body) =>
  page.evaluate(
    async ([address, sent]) => {
      const key = localStorage.getItem('twinboard.td.key');
      const init = sent === null ? {} : { method: 'POST', body: JSON.stringify(sent) };
      const answer = await fetch(address, { ...init, headers: { 'x-twinboard-key': key, 'content-type': 'application/json' } });
      return answer.json();
    },
    [path, body ?? null],
  );

/** A program that ends with this one, also where a check fails before it stops the program. */
function ended(started) {
  process.once('exit', () => started.kill('SIGINT'));
  return started;
}

/** An adjudicator with an empty event, whose files are in `state`. */
export async function serve(program, state, name) {
  const at = `127.0.0.1:${await freePort()}`;
  const address = `http://${at}`;
  const config = join(state, 'event.toml');
  writeFileSync(config, `[event]\nname = "${name}"\n[http]\naddress = "${at}"\ntd_token_file = "token"\n[broker]\naddress = "127.0.0.1:${await freePort()}"\n[store]\npath = "event.sqlite"\n`);
  execFileSync(program, ['token', join(state, 'token')]);
  const served = ended(spawn(program, ['serve', '--config', config], { stdio: ['ignore', 'ignore', 'inherit'] }));
  for (let tries = 0; tries < 100 && !(await fetch(`${address}/healthz`).then(() => true, () => false)); tries += 1) await wait(100);
  const headers = { authorization: `Bearer ${readFileSync(join(state, 'token'), 'utf8').trim()}`, 'content-type': 'application/json' };
  const invite = async (person) => (await fetch(`${address}/api/v1/td/invitations`, { method: 'POST', headers, body: JSON.stringify({ person, rank: 'chief', scope: {} }) })).json();
  return { address, invite, stop: () => served.kill('SIGTERM') };
}

/** A demonstration, and its invitation of a chief. */
export async function play(program, options) {
  const out = join(mkdtempSync(join(tmpdir(), 'played-')), 'hall');
  const demo = ended(spawn(program, ['demo', ...options, '--http', '127.0.0.1:0', '--out', out], { stdio: ['ignore', 'pipe', 'inherit'] }));
  let said = '';
  demo.stdout.on('data', (part) => (said += part));
  while (!/PIN (\d+)/.test(said)) {
    if (demo.exitCode !== null) throw new Error(`the demonstration ended: ${said}`);
    await wait(100);
  }
  const director = said.match(/http:\S+\/td#\S+/)[0];
  return { director, pin: said.match(/PIN (\d+)/)[1], address: new URL(director).origin, stop: () => demo.kill('SIGINT') };
}
