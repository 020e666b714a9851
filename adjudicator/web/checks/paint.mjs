/**
 * How soon pages are useful on the network of a full hall: `node checks/paint.mjs http://host:port`, of a server whose table 1 is played at. Each page is
 * opened anew at 400 kbit/s and 150 ms, on a phone's screen.
 */
import { chromium } from 'playwright-core';

const SLOW = { offline: false, latency: 150, downloadThroughput: 50_000, uploadThroughput: 50_000 };
/** Tables with who plays and how it stands; and boards with pieces. */
const TOLD = '.first, [data-board], .dense-line';
const BOARDS = '[data-board]';

const [address] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
for (const path of ['/', '/table/1']) {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', SLOW);
  let bytes = 0;
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.addInitScript(([told, boards]) => {
    const seen = { told: null, boards: null };
    window.paintSeen = seen;
    // A frame after something is there it has been painted, but not before the style sheet is.
    const look = () => {
      const isPainted = performance.getEntriesByType('paint').length > 0;
      if (isPainted && seen.told === null && document.querySelector(told) !== null) seen.told = performance.now();
      if (isPainted && seen.boards === null && document.querySelector(boards) !== null) seen.boards = performance.now();
      if (seen.boards === null) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, [TOLD, BOARDS]);
  await page.goto(address + path, { waitUntil: 'commit' });
  await page.waitForFunction(() => window.paintSeen.boards !== null, null, { timeout: 30_000 });
  const { told, boards } = await page.evaluate(() => window.paintSeen);
  console.log(`${path}: names and score after ${Math.round(told)} ms, boards after ${Math.round(boards)} ms, ${Math.round(bytes / 1000)} kB`);
  await context.close();
}
await browser.close();
