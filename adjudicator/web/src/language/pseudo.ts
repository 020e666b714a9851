/** Pseudo-language of the checks: every text in brackets, with accents and 40 % longer, so that a text outside of the catalogue is seen. */

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ACCENTED = [...'áƀçðéƒĝĥíĵķļɱñóþɋŕšţúṽŵẋýžÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽ'];
/** Syllable that fills: a blank in it lets lines break. */
const FILLER = 'ôñé ţŵó ';
const LONGER = 0.4;
const PARAMETER = /(\{[^}]*\})/;

export function pseudo(text: string): string {
  return text
    .split(PARAMETER)
    .map((piece) => (PARAMETER.test(piece) ? piece.replace(/:([^|}]*)/g, (_, form: string) => `:${alter(form)}`) : alter(piece)))
    .join('');
}

/** A piece without letters stays as it is. */
function alter(piece: string): string {
  if (!/\p{L}/u.test(piece)) return piece;
  const [, before = '', middle = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(piece) ?? [];
  const accented = [...middle].map((letter) => ACCENTED[PLAIN.indexOf(letter)] ?? letter).join('');
  const fill = Math.ceil(middle.length * LONGER);
  return `${before}⟦${accented} ${FILLER.repeat(Math.ceil(fill / FILLER.length)).slice(0, fill).trimEnd()}⟧${after}`;
}
