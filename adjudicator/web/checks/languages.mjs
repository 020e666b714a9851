/**
 * Pages in the pseudo-language: every text of a page is in brackets, and none makes the page wider than a phone. What the server wrote is no
 * text of a page: names and the like as they came in its answers, and sentences in elements with `lang="en"`.
 */

/** Pages of the directors that have texts in every state. */
export const DESK = ['/td', '/td/round', '/td/event', '/td/families', '/td/report', '/td/screens', '/td/stream', '/td/staff', '/td/slips', '/td/prizes', '/td/certificates', '/td/tables', '/td/table/1'];
const PSEUDO = 'en-XA';
const WIDTH = 360;
const LOOK_MS = 10_000;
/** Time in which a page shows what it was answered. */
const SETTLE_MS = 300;
const AT_ONCE = 6;

/** Collects what the server answers a page. Codes are one word in small letters, and no page shows them as they are. */
function answers(page, known) {
  const found = new Set();
  const keep = (value) => {
    if (typeof value === 'string' && /[A-Z\d ]/.test(value) && value.length > 2) found.add(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(keep);
  };
  keep(known);
  page.on('response', async (response) => {
    if (/\/api\//.test(response.url()) && /json/.test(response.headers()['content-type'] ?? '')) keep(await response.json().catch(() => null));
  });
  return found;
}

/** Texts of the page outside of brackets, without those of the server. */
async function outside(page, served) {
  const texts = await page.evaluate(() => {
    const found = [];
    // What has called repeats a sentence of the list; commands are the same in every language.
    const isOurs = (element) => element.closest('script, style, noscript, code, .first, .language, [lang]:not(html), cg-board, [data-testid="called"]') === null;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (isOurs(walker.currentNode.parentElement)) found.push(walker.currentNode.data);
    for (const name of ['aria-label', 'aria-valuetext', 'title', 'placeholder', 'alt']) {
      for (const element of document.querySelectorAll(`[${name}]`)) if (isOurs(element)) found.push(element.getAttribute(name));
    }
    return [...found, document.title];
  });
  const names = [...served].sort((one, other) => other.length - one.length);
  // Moves, formats, names of programs, books and the check's director: the same in every language.
  const same = /[KQRBN]?[a-h]?[1-8]?x?@?[a-h][1-8](=[QRBN])?|O-O(-O)?|\b(AM|PM|January|February|March|April|May|June|July|August|September|October|November|December|Twinboard|CSV|B?PGN|JSON|PIN|min|ms|OBS)\b|(us-chess|uscf|nc|mcsc|fide)-[a-z0-9-]+|token|https?:\S+|\/[\w/?=…#.-]+/g;
  return [...new Set(texts)].filter((text) => {
    let rest = text;
    while (/⟦[^⟦⟧]*⟧/.test(rest)) rest = rest.replace(/⟦[^⟦⟧]*⟧/g, ' ');
    for (const name of names) rest = rest.replaceAll(name, ' ');
    return /\p{L}{2}/u.test(rest.replace(same, ' '));
  });
}

/** Lists the faults of a page in the pseudo-language, in sentences. `known` are the answers that a worker of several pages received. */
async function faultsOf(context, address, path, known) {
  const page = await context.newPage();
  await page.setViewportSize({ width: WIDTH, height: 740 });
  const served = answers(page, known);
  // A link's secret stands behind the hash.
  await page.goto(address + path.replace(/(\?)|(#)|$/, (_, query, hash) => (query ? `?lang=${PSEUDO}&` : `?lang=${PSEUDO}${hash ?? ''}`)));
  await page.locator('h1, main, .note:not(#page > .note:only-child)').first().waitFor({ state: 'attached', timeout: LOOK_MS });
  await page.waitForLoadState('domcontentloaded');
  await page.waitForTimeout(SETTLE_MS);
  await page.locator('details:not([open])').evaluateAll((parts) => parts.forEach((part) => (part.open = true)));
  const found = (await outside(page, served)).map((text) => `${path}: outside of the catalogue: ${JSON.stringify(text)}`);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (wider > 0) found.push(`${path}: ${wider} px too wide`);
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${path.replace(/\W/g, '_')}.png`, fullPage: true });
  await page.close();
  return found;
}

/** The same of several pages of one browser, some at once. */
export async function faults(context, address, paths, known = null) {
  const found = [];
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    found.push(...(await Promise.all(paths.slice(from, from + AT_ONCE).map((path) => faultsOf(context, address, path, known)))).flat());
  }
  return found;
}
