/**
 * Whether a page can be used by everybody: by screen reader, by keyboard, by a thumb on a phone, by day and by night. What a browser
 * computes is judged, not what the source says: colours as they are drawn, names and roles as the accessibility tree has them.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Web Content Accessibility Guidelines 2.0 to 2.2, levels A and AA, and what the makers of axe hold to be good practice. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Roles that a person does something with. */
const CONTROLS = new Set(['button', 'link', 'textbox', 'searchbox', 'combobox', 'listbox', 'checkbox', 'radio', 'slider', 'spinbutton', 'switch', 'tab', 'menuitem', 'DisclosureTriangle']);
/** More stops than any page has: a page on which Tab never comes round is a trap. */
const STOPS_MAX = 400;
/** Presses of Tab between two looks at the page. */
const STOPS_AT_ONCE = 10;

/** Lists the barriers of a page in its present state, in sentences. */
export async function barriers(page, name) {
  const found = [];
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await rulesBroken(page)).map((words) => `${name}, ${colorScheme}: ${words}`));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  const rest = [...(await namesMissing(page)), ...(await tooWide(page)), ...(await stopsMissing(page))];
  return [...found, ...rest.map((words) => `${name}: ${words}`)];
}

/** Findings of axe, each with the first elements that have it. */
export async function rulesBroken(page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const { violations } = await page.evaluate((tags) => window.axe.run(document, { runOnly: tags, resultTypes: ['violations'] }), TAGS);
  return violations.map(({ id, help, nodes }) => {
    const where = nodes.slice(0, 3).map(({ target, any }) => `${target.join(' ')}${any[0]?.message ? ` (${any[0].message})` : ''}`);
    return `${id}: ${help}: ${where.join('; ')}${nodes.length > 3 ? `; and ${nodes.length - 3} more` : ''}`;
  });
}

/** The accessibility tree, as a screen reader gets it. */
export async function accessibilityTree(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return nodes.filter(({ ignored }) => !ignored).map(({ role, name, properties = [] }) => ({
    role: role?.value ?? '',
    name: (name?.value ?? '').trim(),
    properties: Object.fromEntries(properties.map((property) => [property.name, property.value.value])),
  }));
}

/** Controls that have no name, and headings that do not follow one another. */
async function namesMissing(page) {
  const tree = await accessibilityTree(page);
  const nameless = tree.filter(({ role, name }) => CONTROLS.has(role) && name === '').map(({ role }) => `a ${role} has no name`);
  const levels = tree.filter(({ role }) => role === 'heading').map(({ properties }) => properties.level);
  const jumps = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1).map((level) => `a heading of level ${level} has none above it`);
  const tops = levels.filter((level) => level === 1).length;
  const politeness = tree.filter(({ role, properties }) => role === 'status' && properties.live !== 'polite').map(({ name }) => `the status "${name}" interrupts`);
  return [...nameless, ...jumps, ...politeness, ...(tops === 1 ? [] : [`the page has ${tops} headings of level 1`])];
}

/** A phone's page is scrolled up and down only, and what a thumb is to hit is large enough. */
export async function tooWide(page) {
  return page.evaluate(() => {
    const found = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`it is ${scrollWidth} px wide on a screen of ${clientWidth}`);
    const isSmall = (element) => {
      const { width, height } = element.getBoundingClientRect();
      const inText = element.tagName === 'A' && element.closest('p') !== null;
      // Moves are reached by the buttons for walking, too; an uncertain piece is as large as its square.
      const isDense = element.matches('button[data-ply], [data-doubt]') && height >= 24;
      return !inText && !isDense && element.closest('.cg-wrap') === null && element.checkVisibility() && width > 0 && (height < 44 || width < 24);
    };
    for (const element of document.querySelectorAll('button, a[href], select, summary, input:not([type="checkbox"], [type="range"])')) {
      if (isSmall(element)) found.push(`"${(element.textContent || element.getAttribute('aria-label') || element.tagName).slice(0, 40)}" is ${Math.round(element.getBoundingClientRect().height)} px high`);
    }
    return found;
  });
}

/** Checks that Tab reaches every control, that it shows its focus, and that the focus leaves it again. */
async function stopsMissing(page) {
  await page.evaluate(() => {
    // From the top, like a visitor who has touched nothing yet.
    document.body.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
    window.scrollTo(0, 0);
    const wanted = document.querySelectorAll('button:not([disabled]), a[href], select, summary, input:not([disabled]), textarea');
    for (const element of wanted) if (element.checkVisibility()) element.dataset.toReach = '';
    window.stops = { seen: new Set(), found: new Set(), isOver: false };
    const words = (element) => (element.textContent || element.getAttribute('aria-label') || element.tagName).trim().slice(0, 40);
    window.stops.words = words;
    window.stops.take = ({ target: at }) => {
      const { seen, found } = window.stops;
      window.stops.isOver ||= seen.has(at);
      seen.add(at);
      delete at.dataset.toReach;
      const style = getComputedStyle(at);
      const isShown = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
      if (!isShown) found.add(`"${words(at)}" does not show that it has the focus`);
      at.scrollIntoView({ block: 'start' });
      const { left, right, top, bottom } = at.getBoundingClientRect();
      const points = [[(left + right) / 2, (top + bottom) / 2], [left + 2, top + 2], [right - 2, bottom - 2]];
      const hits = points.map(([x, y]) => document.elementFromPoint(x, y));
      if (hits.every((hit) => hit !== null && !at.contains(hit) && !hit.contains(at))) found.add(`"${words(at)}" has the focus under something else`);
    };
    document.addEventListener('focusin', window.stops.take);
  });
  let isOver = false;
  for (let stops = 0; stops < STOPS_MAX && !isOver; stops += STOPS_AT_ONCE) {
    for (let press = 0; press < STOPS_AT_ONCE; press += 1) await page.keyboard.press('Tab');
    // A page without controls keeps the focus on its body.
    isOver = await page.evaluate(() => window.stops.isOver || document.activeElement === document.body);
  }
  const found = await page.evaluate(() => {
    const { found, take, words } = window.stops;
    document.removeEventListener('focusin', take);
    for (const element of document.querySelectorAll('[data-to-reach]')) {
      delete element.dataset.toReach;
      found.add(`"${words(element)}" is not reached by Tab`);
    }
    document.activeElement?.blur();
    return [...found];
  });
  return isOver ? found : [...found, 'Tab does not come to an end'];
}
