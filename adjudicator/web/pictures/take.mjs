/**
 * Takes the pictures of the guides from a running demonstration, as `cargo xtask pictures` calls it:
 *
 *     node pictures/take.mjs ADDRESS DIRECTORS_ADDRESS PIN FOLDER
 *
 * Each picture waits for what it is to show, so that a page that shows something else takes none.
 */
import { chromium } from 'playwright-core';

const [address, director, pin, folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('give the address, the directors’ address, the PIN and a folder');

const WAIT_MS = 90_000;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'] });

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };
const SCREEN = { viewport: { width: 1280, height: 800 } };

async function page(size) {
  const context = await browser.newContext({ ...size, colorScheme: 'light' });
  const made = await context.newPage();
  made.setDefaultTimeout(WAIT_MS);
  return made;
}

async function take(shown, name, whole = false) {
  // Not while another table calls over the whole screen.
  await shown.waitForFunction(() => [...document.querySelectorAll('[data-alarm]')].every((part) => part.dataset.alarm === 'none'));
  await shown.waitForTimeout(400);
  await shown.screenshot({ path: `${folder}/${name}.png`, fullPage: whole });
  console.log(`${folder}/${name}.png`);
}

/** A touch of a button that asks once more before it does it. */
async function sure(shown, label) {
  await shown.getByRole('button', { name: label }).first().click();
  await shown.getByRole('button', { name: `${label}?` }).first().click();
}

try {
  const phone = await page(PHONE);
  await phone.goto(director);
  await phone.locator('#pin').fill(pin);
  await phone.getByRole('button', { name: 'Pair this device' }).click();

  const screen = await page(SCREEN);
  await screen.goto(address);
  await screen.locator('.tile [data-board]').first().waitFor();
  await take(screen, 'round');
  await screen.goto(`${address}/table/1`);
  await screen.locator('.match [data-ply]').nth(9).waitFor();
  await take(screen, 'match');

  // A list with something that nobody may call, and after the colour that a new claim makes.
  await phone.locator('.need[data-urgency="silent"]').first().waitFor();
  await phone.locator('[data-testid="alarm"][data-alarm="none"]').waitFor({ state: 'attached' });
  await take(phone, 'director-list');

  // The table of the first silent alert: a claim is opened for the player, looked at, and upheld.
  const table = await phone.locator('.need[data-urgency="silent"] a.need-words').first().getAttribute('href');
  await phone.goto(new URL(table, address).href);
  await phone.locator('[data-testid="considered"]').waitFor();
  await take(phone, 'director-table');
  await phone.getByRole('button', { name: 'Open the claim' }).click();
  await phone.locator('[data-testid="claim"]').waitFor();
  await phone.locator('[data-testid="claim"]').scrollIntoViewIfNeeded();
  await take(phone, 'director-claim');
  // The hub sends the evidence by itself.
  await phone.locator('[data-testid="evidence"]').waitFor();
  await phone.locator('.evidence input[type="range"]').evaluate((slider) => {
    slider.value = String(Number(slider.min) + 0.66 * (Number(slider.max) - Number(slider.min)));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await phone.locator('[data-testid="evidence"] .sensed').evaluate((boards) => boards.scrollIntoView({ block: 'start' }));
  await phone.mouse.wheel(0, -60);
  await take(phone, 'director-evidence');
  await phone.locator('.one-clock summary').first().click();
  await phone.locator('.one-clock').first().getByRole('button', { name: 'Stop' }).click();
  await phone.locator('.orders > li[data-state="done"]').first().waitFor();
  await phone.locator('[data-testid="clock-orders"]').scrollIntoViewIfNeeded();
  await take(phone, 'director-clocks');
  // A position of two plies ago is put up again, and taken back.
  for (let back = 0; back < 2; back += 1) await phone.getByTestId('previous').click();
  await phone.locator('details.put-right > summary').click();
  await sure(phone, 'Reinstate the position before it');
  await phone.locator('[data-testid="put-up"][data-state="waiting"] .steps li').first().waitFor();
  await phone.locator('[data-testid="put-up"]').evaluate((part) => part.scrollIntoView({ block: 'start' }));
  await phone.mouse.wheel(0, -100);
  await take(phone, 'director-position');
  await sure(phone, 'Take the position back');
  await sure(phone, 'Uphold');
  await phone.locator('[data-testid="ledger"]').waitFor();
  await phone.locator('[data-testid="ledger"]').scrollIntoViewIfNeeded();
  await take(phone, 'director-ledger');

  const match = await phone.locator('.td-table').getAttribute('data-match');
  await screen.goto(`${address}/match/${match}/replay`);
  await screen.locator('[data-board]').first().waitFor();
  const slider = await screen.locator('input[type="range"]').boundingBox();
  await screen.mouse.click(slider.x + slider.width * 0.6, slider.y + slider.height / 2);
  await take(screen, 'replay');

  await screen.goto(`${address}/match/${match}/sheet`);
  await screen.locator('table').first().waitFor();
  await take(screen, 'sheet');

  await screen.goto(`${address}/overlay/match?table=1`);
  await screen.waitForTimeout(1_500);
  await screen.evaluate(() => document.documentElement.style.setProperty('background', '#2f6f4f'));
  await screen.setViewportSize({ width: 1920, height: 1080 });
  await take(screen, 'overlay');
  await phone.goto(`${address}/td/stream`);
  await phone.locator('[data-testid="on-stream"] [data-table="2"] button').click();
  await phone.locator('[data-chosen="2"]').waitFor();
  await take(phone, 'director-stream');
} finally {
  await browser.close();
}
