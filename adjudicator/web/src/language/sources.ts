/** Texts in the sources of the pages, for the tests: arguments of `t` and its like, and texts outside of them. */
import { parseSync } from 'vite';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [name: string]: unknown;
}

/** A text of a source. */
export interface Found {
  readonly file: string;
  readonly text: string;
  /** True if it is evaluated with its module, before a catalogue can have been loaded. */
  readonly isAtOnce: boolean;
}

export interface Texts {
  /** Texts translated by a catalogue. */
  readonly keys: readonly Found[];
  /** Texts that no catalogue has: what a person may read, as far as its form shows. */
  readonly loose: readonly Found[];
}

/** Functions that look a text up, or note one for later. */
const CATALOGUED = new Set(['t', 'tx', 'note']);
/** Attributes that a browser shows or reads aloud; of our components `label`, `says` and `title`. */
const SHOWN = /^(title|label|says|alt|placeholder|aria-(label|description|valuetext|roledescription))$/;
/** Two words with a blank between them, or one that begins like a sentence. */
const PROSE = /[\p{L},.:;!?’)] +[\p{L}(“]|^(\P{L}+ )?\p{Lu}\p{Ll}{2,}[.…:!?]?$|\p{L}…$/u;
/** Texts that are code: selectors, addresses, media queries, headers, values of CSS. */
const CODE = /^[.#[/(]|^[\w-]+="|data-|^[a-z-]+: |\b\d+(px|rem|%)|^(GET|POST) |[{}>]/;
const LETTERS = /\p{L}{2}/u;

export function textsOf(file: string, source: string): Texts {
  const keys: Found[] = [];
  const loose: Found[] = [];
  const visit = (node: Node, isAtOnce: boolean, shown: boolean): void => {
    const found = (text: string): Found => ({ file, text, isAtOnce });
    const inside = isAtOnce && !/Function/.test(node.type);
    if (/^(Import|TS(Type|Interface))|^ThrowStatement$/.test(node.type) && node.type !== 'ImportExpression') return;
    if (node.type === 'CallExpression' && CATALOGUED.has(String((node['callee'] as Node)['name']))) {
      const [first, ...values] = node['arguments'] as Node[];
      if (first?.type === 'Literal') keys.push(found(String(first['value'])));
      else loose.push(found(`${source.slice(node.start, node.start + 60)}: not a literal`));
      values.forEach((value) => visit(value, inside, false));
      return;
    }
    if (node.type === 'NewExpression' && /Error$/.test(String((node['callee'] as Node)['name']))) return;
    if (node.type === 'JSXText' && LETTERS.test(String(node['value']))) loose.push(found(String(node['value']).trim()));
    if (node.type === 'JSXAttribute') {
      const name = String((node['name'] as Node)['name']);
      if (/^(class|data-.*|style|d|id)$/.test(name)) return;
      return children(node).forEach((child) => visit(child, inside, SHOWN.test(name)));
    }
    const text = node.type === 'TemplateElement' ? (node['value'] as { readonly cooked: string }).cooked : node['value'];
    if ((node.type === 'Literal' || node.type === 'TemplateElement') && typeof text === 'string' && !CODE.test(text) && (shown ? LETTERS : PROSE).test(text)) loose.push(found(text));
    // Operands of comparisons and conditions are not shown.
    const isShown = shown && !/^(BinaryExpression|MemberExpression|CallExpression)$/.test(node.type);
    const decides = node.type === 'ConditionalExpression' ? node['test'] : null;
    children(node).forEach((child) => visit(child, inside, isShown && child !== decides));
  };
  visit(parseSync(file, source, { lang: 'tsx' }).program as unknown as Node, true, false);
  return { keys, loose };
}

function children(node: Node): Node[] {
  const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value])).filter(isNode);
}
