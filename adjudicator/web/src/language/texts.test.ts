/** Every text of the pages is in a catalogue, and the catalogues have what the pages ask for. */
import { describe, expect, it } from 'vitest';
import { german } from './de';
import { spanish } from './es';
import { spanish as spanishDesk } from './es.td';
import { pseudo } from './pseudo';
import { textsOf } from './sources';

const SOURCES: Readonly<Record<string, string>> = import.meta.glob('../**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true });
const PAGES = Object.entries(SOURCES).filter(([file]) => !/\.test\.ts$|\.d\.ts$|fixtures|^\.\//.test(file));
const ALL = PAGES.map(([file, source]) => textsOf(file, source));
const KEYS = ALL.flatMap(({ keys }) => keys);
const isDesk = (file: string) => SOURCES[file]?.includes("language/td'") === true;

/** Reasons why texts that look like texts for people are in no catalogue. */
const ALLOWED: readonly (readonly [file: RegExp, text: RegExp, why: string])[] = [
  [/./, /^(Twinboard|CSV)$/, 'names of a program and of a format'],
  [/Language\.tsx$/, /^Language · /, 'stands in all languages for whoever does not read the page’s'],
  [/(Board|Walk)\.tsx$|desk\.ts$/, /^(Escape|Home|End|Enter)$/, 'names of keys'],
  [/useRoom\.ts$/, /^(Left|Right|Top|Bottom)$/, 'parts of names of styles'],
  [/ScreensPage\.tsx$/, /^\/screen$/, 'an address'],
  [/decode\.ts$|formats\.ts$/, /./, 'what was wrong with a message, for whoever mends the server; a note in the catalogue stands around it'],
  [/follow\.ts$/, /^event “$/, 'the same'],
  [/RoundBoard\.tsx$/, /^twinboard (serve|rehearse)/, 'commands'],
  [/ZeroTest\.tsx$/, /^zero test of both clocks$/, 'the server’s words for an order, which are compared'],
  [/Calibration\.tsx$/, /^calibration of board $/, 'the same'],
  [/\/td\//, /^(withdrawn|taken back) by a director$|^corrected at the table$/, 'notes of the ledger, which is kept in English'],
];

describe('the texts of the pages', () => {
  it('stand in the catalogue, or in a list that says why not', () => {
    const loose = ALL.flatMap((of) => of.loose).filter(({ file, text }) => !ALLOWED.some(([where, what]) => where.test(file) && what.test(text)));
    expect(loose.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
  });

  it('leave no entry in the list that allows nothing', () => {
    const loose = ALL.flatMap((of) => of.loose);
    expect(ALLOWED.filter(([where, what]) => !loose.some(({ file, text }) => where.test(file) && what.test(text))).map(String)).toEqual([]);
  });

  it('are looked up when they are shown, unless their page comes after its catalogue', () => {
    expect(KEYS.filter(({ file, isAtOnce }) => isAtOnce && !isDesk(file)).map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
  });

  it('are those of the Spanish catalogues, each in the one that its page loads', () => {
    const used = (ofDesk: boolean) => new Set(KEYS.filter(({ file }) => isDesk(file) === ofDesk).map(({ text }) => text));
    const [viewers, desk] = [used(false), used(true)];
    expect(Object.keys(spanish).filter((text) => !viewers.has(text))).toEqual([]);
    expect(Object.keys(spanishDesk).filter((text) => !desk.has(text) || text in spanish)).toEqual([]);
    expect([...viewers].filter((text) => !(text in spanish))).toEqual([]);
    expect([...desk].filter((text) => !(text in spanish) && !(text in spanishDesk))).toEqual([]);
  });

  it('of the directors load their catalogue from the directors’ pages alone', () => {
    expect(PAGES.filter(([file]) => isDesk(file) && !/\/td\/|main\.tsx$/.test(file)).map(([file]) => file)).toEqual([]);
  });
});

const parameters = (text: string) => [...text.matchAll(/\{(\w+)(\|)?/g)].map(([, name, forms]) => name + (forms ?? '')).sort().filter((name, at, all) => all[at - 1] !== name);

describe.each([['es', { ...spanish, ...spanishDesk }], ['de', german]])('the catalogue of %s', (tag, catalogue: Readonly<Record<string, string>>) => {
  it('has the parameters of the English texts', () => {
    expect(Object.entries(catalogue).filter(([text, own]) => parameters(text).join() !== parameters(own).join())).toEqual([]);
  });

  it('begins and ends with the blanks of the English texts', () => {
    const blanks = (text: string) => [/^ /.test(text), / $/.test(text)].join();
    expect(Object.entries(catalogue).filter(([text, own]) => own.trim() === '' || blanks(text) !== blanks(own))).toEqual([]);
  });

  it('has forms of words that its language knows', () => {
    const known: readonly string[] = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
    const forms = Object.values(catalogue).flatMap((own) => [...own.matchAll(/\{\w+\|([^}]*)\}/g)].map(([, all]) => (all ?? '').split('|').map((form) => form.split(':')[0] ?? '')));
    expect(forms.filter((all) => all.at(-1) !== 'other' || all.some((form) => !known.includes(form)))).toEqual([]);
  });
});

it('the pseudo-language is 40 % longer, in brackets, and keeps parameters', () => {
  const text = 'Round {round}: {n} {n|one:table|other:tables} are done';
  const own = pseudo(text);
  expect(parameters(own)).toEqual(parameters(text));
  expect(own).toMatch(/^⟦[^a-z]*⟧ \{round\}/);
  expect(pseudo('Not urgent').length).toBeGreaterThanOrEqual('Not urgent'.length * 1.4);
  expect(pseudo(': ')).toBe(': ');
});
