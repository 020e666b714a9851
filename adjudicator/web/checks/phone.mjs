/** A director's phone in Chromium: paired by code and PIN, touched, and asking the server as the pages do. */
import { createServer } from 'node:net';
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
