/** Plies in words, for screen readers: "Board A, White: knight dropped on f3, check"; of one board, "White: …". */
import type { News } from './match';
import { roleOf } from './placement';
import { type Ply, sideName } from './wire';

/** More than this at once (after an outage) is summed up instead of read out. */
const READ_OUT_MAX = 4;

export function sayNews(news: readonly News[], boards: number): string {
  const plies = news.filter(({ kind }) => kind === 'ply').length;
  if (plies > READ_OUT_MAX) {
    const last = news.findLast(({ kind }) => kind === 'ply');
    return `${plies} moves caught up. ${last === undefined ? '' : sayPly(last.ply, boards)}`;
  }
  return news
    .map((item) =>
      item.kind === 'ply'
        ? sayPly(item.ply, boards)
        : `Corrected: ${sayPly(item.ply, boards).slice(0, -1)}, not ${sayMove(item.was)}.`,
    )
    .join(' ');
}

/** `boards` is how many boards are followed: of one, its letter is not said. */
export function sayPly(ply: Ply, boards: number): string {
  const where = boards > 1 ? `Board ${ply.board}, ` : '';
  return `${where}${sideName(ply.side)}: ${sayMove(ply.san)}.`;
}

/** A move in SAN, in words; what is not understood is spelt as it stands. */
export function sayMove(san: string): string {
  const mark = san.includes('#') ? ', mate' : san.includes('+') ? ', check' : '';
  const plain = san.replace(/[+#!?]/g, '');
  if (plain === 'O-O') return `castles kingside${mark}`;
  if (plain === 'O-O-O') return `castles queenside${mark}`;
  const drop = /^([A-Z]?)@([a-h][1-8])$/.exec(plain);
  if (drop) return `${roleOf(drop[1] || 'P') ?? drop[1]} dropped on ${drop[2]}${mark}`;
  const move = /^([KQRBN]?)([a-h]?[1-8]?)(x?)([a-h][1-8])(?:=?([QRBN]))?$/.exec(plain);
  if (!move) return plain === '' ? san : `${plain}${mark}`;
  const [, letter, from, takes, to, promotion] = move;
  const piece = roleOf(letter || 'P') ?? 'piece';
  const origin = from ? ` from ${from}` : '';
  const became = promotion ? `, promotes to ${roleOf(promotion) ?? promotion}` : '';
  return `${piece}${origin} ${takes ? 'takes on' : 'to'} ${to}${became}${mark}`;
}
