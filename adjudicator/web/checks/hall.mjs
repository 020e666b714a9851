/** A mock hall and a browser to look at it with. `CHROMIUM` names another browser than Debian's. */
import { after } from 'node:test';
import { chromium } from 'playwright-core';
import { startMock } from '../mock/server.mjs';

/** Chromium must not look for its maker's hosts: a venue's network has none. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** One browser serves all tests of a file: each visit has profiles of its own. */
let browser = null;
const launched = () => (browser ??= chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS }));
after(async () => (await browser)?.close());

/** Runs `look` with a hall and a function that opens its pages, and fails on any error that a page or the program reported. */
export async function visit(options, look) {
  const mock = await startMock(options);
  const failures = [];
  const contexts = [];
  const context = async ({ width = 1366, height = 768, ...rest } = {}) => {
    const one = await (await launched()).newContext({ viewport: { width, height }, ...rest });
    contexts.push(one);
    return one;
  };
  const openIn = async (where, path) => {
    const page = await where.newPage();
    page.on('pageerror', (error) => failures.push(`${path}: ${error.message}`));
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) failures.push(`${path}: ${message.text()}`);
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== mock.address && protocol !== 'data:') failures.push(`${path}: asked ${request.url()}`);
    });
    await page.goto(mock.address + path);
    return page;
  };
  /** Pages of one browser: what they keep and share is the same. */
  const openTogether = async (paths, size) => {
    const where = await context(size);
    return Promise.all(paths.map((path) => openIn(where, path)));
  };
  const open = async (path, size) => openIn(await context(size), path);
  try {
    await look({ mock, open, openTogether });
  } finally {
    await Promise.all(contexts.map((one) => one.close()));
    await mock.stop();
  }
  if (failures.length > 0) throw new Error(failures.join('\n'));
}

/** The placement that a board really draws, read from chessground's elements. */
export function drawn(page, board) {
  return page.locator(`.match [data-board="${board}"]`).evaluate((element) => {
    const letters = { pawn: 'p', knight: 'n', bishop: 'b', rook: 'r', queen: 'q', king: 'k' };
    const pieces = new Map();
    for (const piece of element.querySelectorAll('cg-board piece:not(.fading)')) {
      const [color, role] = piece.cgPiece.split(' ');
      pieces.set(piece.cgKey, color === 'white' ? letters[role].toUpperCase() : letters[role]);
    }
    const rank = (number) =>
      [...'abcdefgh'].map((file) => pieces.get(file + number) ?? '1').join('').replace(/1+/g, (empty) => empty.length);
    return [8, 7, 6, 5, 4, 3, 2, 1].map(rank).join('/');
  });
}

/** Waits until `holds` is true of the page; the error says what never came. */
export async function until(what, holds, wait_ms = 15_000) {
  const end = Date.now() + wait_ms;
  while (Date.now() < end) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`not within ${wait_ms} ms: ${what}`);
}

export const shown = (page, board) => page.locator(`.match [data-board="${board}"]`).getAttribute('data-fen');
export const line = (page) => page.getByTestId('line').getAttribute('data-line');

/** A page over a coloured ground, as OBS lays it over a picture: which share of it is the ground's colour, and the picture (PNG). */
export async function groundShare(page) {
  await page.evaluate(() => document.documentElement.style.setProperty('background', 'rgb(255, 0, 255)', 'important'));
  const picture = await page.screenshot();
  const share = await page.evaluate(async (png) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let ground = 0;
    for (let at = 0; at < data.length; at += 4) ground += data[at] === 255 && data[at + 1] === 0 && data[at + 2] === 255;
    return ground / (data.length / 4);
  }, picture.toString('base64'));
  return { share, picture };
}
