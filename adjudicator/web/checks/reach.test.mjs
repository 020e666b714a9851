import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChromium } from './phone.mjs';
import { barriers } from './reach.mjs';

/** A page with each known barrier, and the expected sentence about it. */
const PLANTED = [
  ['<button></button>', 'a button has no name'],
  ['<h3>Deep</h3>', 'a heading of level 3 has none above it'],
  ['<p style="color: #aaa; background: #fff">pale</p>', 'color-contrast'],
  ['<div role="status" aria-live="assertive">!</div>', 'interrupts'],
  ['<button style="height: 20px">low</button>', '20 px high'],
  ['<div style="width: 900px">wide</div>', 'px wide on a screen of 360'],
  ['<a href="#" style="outline: none">unseen</a>', 'does not show that it has the focus'],
  ['<button tabindex="-1">missed</button>', 'is not reached by Tab'],
  ['<button style="height: 48px">under</button><div style="height: 2000px"></div><div style="position: fixed; inset: 0 0 auto; height: 99px"></div>', '"under" has the focus under something else'],
];

test('barriers on a page are found', async () => {
  const browser = await startChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    await page.setContent(`<html lang="en"><title>t</title><main><h1>Sound</h1><button style="height: 48px">All is well</button></main></html>`);
    assert.deepEqual(await barriers(page, 'sound'), []);
    await page.setContent(`<html lang="en"><title>t</title><main><h1>Bad</h1>${PLANTED.map(([html]) => html).join('')}</main></html>`);
    const found = (await barriers(page, 'bad')).join('\n');
    for (const [, words] of PLANTED) assert.ok(found.includes(words), `${words} in\n${found}`);
  } finally {
    await browser.close();
  }
});
