/**
 * Piece placements as FEN writes them, with `~` after a promoted piece. Only what drawing needs:
 * which piece stands where, and what differs between two placements. The rules stay on the server.
 */

export type Role = 'pawn' | 'knight' | 'bishop' | 'rook' | 'queen' | 'king';
export type Color = 'white' | 'black';

export interface Piece {
  readonly role: Role;
  readonly color: Color;
  /** True for a promoted pawn, which returns to the reserve as a pawn. */
  readonly promoted: boolean;
}

const ROLES: Readonly<Record<string, Role>> = {
  p: 'pawn',
  n: 'knight',
  b: 'bishop',
  r: 'rook',
  q: 'queen',
  k: 'king',
};

/** The reserve's order: most valuable first, as FEN pockets are written. */
export const RESERVE_LETTERS = ['Q', 'R', 'B', 'N', 'P'] as const;
export type ReserveLetter = (typeof RESERVE_LETTERS)[number];

/** The role of a piece letter of either case; none if it is no piece letter. */
export function roleOf(letter: string): Role | undefined {
  return ROLES[letter.toLowerCase()];
}

export function isSquare(text: string): boolean {
  return /^[a-h][1-8]$/.test(text);
}

/** The placement without what a full FEN or a pocket adds behind it. */
export function placementOf(fen: string): string {
  return fen.split(/[ []/, 1)[0] ?? '';
}

/** The pieces by square, or nothing if `fen` is no placement of eight ranks of eight squares. */
export function parsePlacement(fen: string): Map<string, Piece> | undefined {
  const ranks = placementOf(fen).split('/');
  if (ranks.length !== 8) return undefined;
  const pieces = new Map<string, Piece>();
  for (const [index, rank] of ranks.entries()) {
    if (!parseRank(rank, 8 - index, pieces)) return undefined;
  }
  return pieces;
}

function parseRank(rank: string, number: number, into: Map<string, Piece>): boolean {
  let file = 0;
  let last: string | undefined;
  for (const char of rank) {
    if (/[1-8]/.test(char)) {
      file += Number(char);
      last = undefined;
    } else if (char === '~') {
      const piece = last === undefined ? undefined : into.get(last);
      if (last === undefined || piece === undefined) return false;
      into.set(last, { ...piece, promoted: true });
      last = undefined;
    } else {
      const role = roleOf(char);
      if (role === undefined || file > 7) return false;
      last = `${'abcdefgh'.charAt(file)}${number}`;
      into.set(last, { role, color: char === char.toLowerCase() ? 'black' : 'white', promoted: false });
      file += 1;
    }
  }
  return file === 8;
}

export function isPlacement(text: string): boolean {
  return parsePlacement(text) !== undefined;
}

/** The squares whose piece differs between two placements, in no particular order. */
export function differingSquares(before: string, after: string): string[] {
  const was = parsePlacement(before) ?? new Map<string, Piece>();
  const is = parsePlacement(after) ?? new Map<string, Piece>();
  return [...new Set([...was.keys(), ...is.keys()])].filter((square) => {
    const [a, b] = [was.get(square), is.get(square)];
    return a?.role !== b?.role || a?.color !== b?.color;
  });
}

/** The squares a ply in UCI touches: from and to, or where the piece was dropped. */
export function squaresOf(uci: string): string[] {
  const squares = uci[1] === '@' ? [uci.slice(2, 4)] : [uci.slice(0, 2), uci.slice(2, 4)];
  return squares.filter(isSquare);
}

/** Number of each piece in a reserve such as `QNPP`; kinds that it lacks are left out. */
export function reserveCounts(reserve: string): { letter: ReserveLetter; count: number }[] {
  return RESERVE_LETTERS.map((letter) => ({
    letter,
    count: [...reserve.toUpperCase()].filter((held) => held === letter).length,
  })).filter(({ count }) => count > 0);
}

/** Corner of a square, in eighths from the top left corner in the view of `bottom`. */
export function squareOffset(square: string, bottom: Color): { x: number; y: number } {
  const file = square.charCodeAt(0) - 97;
  const rank = square.charCodeAt(1) - 49;
  return bottom === 'white' ? { x: file, y: 7 - rank } : { x: 7 - file, y: rank };
}

export function kingOf(pieces: ReadonlyMap<string, Piece>, color: Color): string | undefined {
  return [...pieces].find(([, piece]) => piece.role === 'king' && piece.color === color)?.[0];
}
