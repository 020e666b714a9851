/** Plies in words, for screen readers: "Board A, White: knight dropped on f3, check"; of one board, "White: …". */
import { coded, t } from '../language/language';
import type { News } from './match';
import { roleOf } from './placement';
import { sideName } from './names';
import type { Ply } from './wire';

/** More than this at once (after an outage) is summed up instead of read out. */
const READ_OUT_MAX = 4;

export function sayNews(news: readonly News[], boards: number): string {
  const plies = news.filter(({ kind }) => kind === 'ply').length;
  if (plies > READ_OUT_MAX) {
    const last = news.findLast(({ kind }) => kind === 'ply');
    return t('{plies} {plies|one:move|other:moves} caught up. {last}', { plies, last: last === undefined ? '' : sayPly(last.ply, boards) });
  }
  return news
    .map((item) =>
      item.kind === 'ply'
        ? sayPly(item.ply, boards)
        : t('Corrected: {now}, not {before}.', { now: sayPly(item.ply, boards).slice(0, -1), before: sayMove(item.was) }),
    )
    .join(' ');
}

/** `boards` is the number of boards followed: the letter of a single one is not spoken. */
export function sayPly(ply: Ply, boards: number): string {
  const where = boards > 1 ? t('Board {board}, ', { board: ply.board }) : '';
  return `${where}${sideName(ply.side)}: ${sayMove(ply.san)}.`;
}

/** A move in SAN, in words; other text is spelt letter by letter. */
export function sayMove(san: string): string {
  const mark = san.includes('#') ? t(', mate') : san.includes('+') ? t(', check') : '';
  const plain = san.replace(/[+#!?]/g, '');
  if (plain === 'O-O') return t('castles kingside{mark}', { mark });
  if (plain === 'O-O-O') return t('castles queenside{mark}', { mark });
  const drop = /^([A-Z]?)@([a-h][1-8])$/.exec(plain);
  if (drop) return t('{piece} dropped on {square}{mark}', { piece: coded(roleOf(drop[1] || 'P') ?? drop[1] ?? ''), square: drop[2] ?? '', mark });
  const move = /^([KQRBN]?)([a-h]?[1-8]?)(x?)([a-h][1-8])(?:=?([QRBN]))?$/.exec(plain);
  if (!move) return plain === '' ? san : `${plain}${mark}`;
  const [, letter, from, takes, to, promotion] = move;
  const piece = coded(roleOf(letter || 'P') ?? 'piece');
  const origin = from ? t(' from {from}', { from }) : '';
  const became = promotion ? t(', promotes to {piece}', { piece: coded(roleOf(promotion) ?? promotion) }) : '';
  return `${piece}${origin} ${takes ? t('takes on') : t('to')} ${to}${became}${mark}`;
}
