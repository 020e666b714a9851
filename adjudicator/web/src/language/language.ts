/**
 * Language of the pages. English stands in the pages themselves, where each text is a key of the catalogues of the other languages: viewers of
 * English load nothing for it, and a text that a catalogue lacks is shown in English. The catalogue is loaded before a page is shown.
 */
import type { ComponentChildren } from 'preact';
import type { spanish } from './es';
import type { spanish as spanishDesk } from './es.td';
import type { Note } from './note';

/** Texts of the catalogues. Spanish is complete, so that its keys are all texts of the pages. */
export type Text = keyof typeof spanish | keyof typeof spanishDesk;
/** Catalogue of a language: from the English text to its own. */
export type Catalogue = Readonly<Record<string, string | undefined>>;

/** Names of the parameters in a text: `{table}`, or `{n|one:match|other:matches}` for a word that depends on a number. */
type Names<S> = S extends `${string}{${infer Found}}${infer Rest}` ? (Found extends `${infer Name}|${string}` ? Name : Found) | Names<Rest> : never;
export type Values<K, V> = [Names<K>] extends [never] ? [] : [Readonly<Record<Names<K>, V>>];

/** Languages of the chooser, each by its own name. */
export const LANGUAGES = { en: 'English', es: 'Español', de: 'Deutsch' } as const;
/** Pseudo-language of the checks: accents, brackets, 40 % longer. It is in no chooser. */
const PSEUDO = 'en-XA';
const KEPT = 'twinboard.language';

/** The language that is shown, as a tag for `Intl`. */
export const language: string = chosen();

function chosen(): string {
  if (typeof document === 'undefined') return 'en';
  const asked = new URLSearchParams(window.location.search).get('lang');
  const known = (tag: string | null | undefined) => (tag === PSEUDO ? tag : Object.keys(LANGUAGES).find((one) => one === tag?.slice(0, 2).toLowerCase()));
  const found = known(asked);
  // A frame on another site, or a scene, does not follow the language that the person reads elsewhere.
  if (found !== undefined && !/^\/(embed|overlay)\//.test(window.location.pathname)) keep(found);
  return found ?? known(kept()) ?? window.navigator.languages.map(known).find((one) => one !== undefined) ?? 'en';
}

function kept(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    // A file on a disk, or a browser that keeps nothing.
    return null;
  }
}

function keep(tag: string): void {
  try {
    localStorage.setItem(KEPT, tag);
  } catch {
    // The choice then holds for this page alone.
  }
}

/** Shows the pages in another language from now on. */
export function choose(tag: string): void {
  keep(tag);
  const address = new URL(window.location.href);
  address.searchParams.delete('lang');
  // The hash of a family's page is its key, and an address that differs in nothing else is not loaded.
  window.history.replaceState(null, '', address);
  window.location.reload();
}

const catalogues: Catalogue[] = [];
let alter: ((text: string) => string) | null = null;

/** Adds a catalogue of texts. */
export function add(catalogue: Catalogue): void {
  catalogues.push(catalogue);
}

/** The catalogue on its way; null for English, which needs none. A page is shown when it has come. */
export const loading: Promise<void> | null = language === 'en' ? null : load();

async function load(): Promise<void> {
  try {
    if (language === 'es') {
      const { spanish, served } = await import('./es');
      add(spanish);
      add(served);
    } else if (language === 'de') {
      const { german, served } = await import('./de');
      add(german);
      add(served);
    } else {
      alter = (await import('./pseudo')).pseudo;
    }
  } catch {
    // The network is lost: the page is shown in English rather than not at all.
  }
}
if (typeof document !== 'undefined') document.documentElement.lang = language;

/** A note in words. */
export const noted = ({ text, values }: Note): string => filled(text, values);

const PARAMETER = /\{(\w+)(?:\|([^}]*))?\}/g;

/** Text with its parameters put in, in the language that is shown. */
export function t<K extends Text>(text: K, ...[values]: Values<K, string | number>): string {
  return filled(text as string, (values ?? {}) as Readonly<Record<string, string | number>>);
}

function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return patternOf(text).replace(PARAMETER, (_, name: string, forms?: string) => part(values[name] ?? '', forms));
}

/** The same where parameters are elements of the page. */
export function tx<K extends Text>(text: K, ...[values]: Values<K, ComponentChildren>): ComponentChildren[] {
  const given = values as Readonly<Record<string, ComponentChildren>> | undefined;
  const pieces = patternOf(text as string).split(PARAMETER);
  return pieces.map((piece, at) => {
    if (at % 3 === 0) return piece;
    if (at % 3 === 2) return null;
    const value = given?.[piece] ?? '';
    return typeof value === 'number' || pieces[at + 1] !== undefined ? part(value as number, pieces[at + 1]) : value;
  });
}

/** Text of a code of the server, such as `king-captured`; a code without a text is shown unchanged. */
export function coded(code: string): string {
  return patternOf(code.replaceAll('-', ' '));
}

/** A fixed sentence of the server; one that the catalogue lacks is shown as it came. */
export function served(sentence: string): string {
  return catalogues.find((one) => sentence in one)?.[sentence] ?? sentence;
}

/** Language of a sentence of the server where it is not the page's: for screen readers, which pronounce it. */
export function langOf(sentence: string): 'en' | undefined {
  return language === 'en' || catalogues.some((one) => sentence in one) ? undefined : 'en';
}

function patternOf(text: string): string {
  if (alter !== null) return alter(text);
  return catalogues.find((one) => text in one)?.[text] ?? text;
}

/** A table of texts, made when it is first read: by then the catalogue has come. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const numbers = new Intl.NumberFormat(language);
/** A number as people of the language write it. */
export const numeral = (value: number): string => numbers.format(value);

const plurals = new Intl.PluralRules(language);

/** Value of a parameter, or the form of a word for it. */
function part(value: string | number, forms?: string): string {
  if (forms === undefined) return typeof value === 'number' ? numbers.format(value) : value;
  const all = forms.split('|').map((form) => form.split(':'));
  return (all.find(([category]) => category === plurals.select(Number(value))) ?? all.at(-1))?.[1] ?? '';
}
