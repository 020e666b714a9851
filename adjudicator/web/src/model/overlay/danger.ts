/**
 * Danger of mate for a king, for the automatic director: seen from the pieces as a page has them, without knowing the rules in full
 * (no castling, no en passant, no pins but those of a king that would stand in check). It is never shown: it only moves a camera.
 */
import type { Side } from '../wire';

/** Sixty-four squares from a8 to h1; a piece as its FEN letter, or nothing. */
export type Squares = readonly string[];

const FILES = 8;
const ORTHOGONAL = [[0, 1], [0, -1], [1, 0], [-1, 0]] as const;
const DIAGONAL = [[1, 1], [1, -1], [-1, 1], [-1, -1]] as const;
const AROUND = [...ORTHOGONAL, ...DIAGONAL];
const JUMPS = [[1, 2], [2, 1], [-1, 2], [-2, 1], [1, -2], [2, -1], [-1, -2], [-2, -1]] as const;
type Step = readonly [number, number];

/** Directions of each sliding piece. */
const SLIDES: Readonly<Record<string, readonly Step[]>> = { r: ORTHOGONAL, b: DIAGONAL, q: AROUND };

export function squaresOf(placement: string): Squares {
  const letters = placement.replace(/[/~]/g, '').replace(/\d/g, (count) => ' '.repeat(Number(count)));
  return [...letters].map((letter) => (letter === ' ' ? '' : letter));
}

const isWhite = (piece: string): boolean => piece !== '' && piece < 'a';
const isOf = (piece: string, side: Side): boolean => piece !== '' && isWhite(piece) === (side === 'white');
const other = (side: Side): Side => (side === 'white' ? 'black' : 'white');
/** White's pawns go up the board, to lower indices. */
const forward = (side: Side): number => (side === 'white' ? -1 : 1);

/** The square a step away, or -1 beyond the edge. */
function at(square: number, [right, down]: Step): number {
  const file = (square % FILES) + right;
  const row = Math.floor(square / FILES) + down;
  return file < 0 || file >= FILES || row < 0 || row >= FILES ? -1 : row * FILES + file;
}

/** The squares from which a side attacks one. */
function attackers(board: Squares, square: number, side: Side): number[] {
  const found: number[] = [];
  const has = (from: number, kinds: string) => {
    const piece = from < 0 ? '' : (board[from] ?? '');
    if (isOf(piece, side) && kinds.includes(piece.toLowerCase())) found.push(from);
  };
  for (const jump of JUMPS) has(at(square, jump), 'n');
  for (const step of AROUND) has(at(square, step), 'k');
  for (const right of [-1, 1]) has(at(square, [right, -forward(side)]), 'p');
  for (const [steps, kinds] of [[ORTHOGONAL, 'rq'], [DIAGONAL, 'bq']] as const) {
    for (const step of steps) {
      let from = at(square, step);
      while (from >= 0 && board[from] === '') from = at(from, step);
      has(from, kinds);
    }
  }
  return found;
}

const kingOf = (board: Squares, side: Side): number => board.indexOf(side === 'white' ? 'K' : 'k');

function moved(board: Squares, from: number, to: number): string[] {
  const next = [...board];
  next[to] = next[from] ?? '';
  next[from] = '';
  return next;
}

function isSafe(board: Squares, side: Side): boolean {
  const king = kingOf(board, side);
  return king < 0 || attackers(board, king, other(side)).length === 0;
}

/** The squares around a side's king to which it can go. */
export function escapes(board: Squares, side: Side): number {
  const king = kingOf(board, side);
  if (king < 0) return 0;
  const free = AROUND.map((step) => at(king, step)).filter((to) => to >= 0 && !isOf(board[to] ?? '', side));
  return free.filter((to) => isSafe(moved(board, king, to), side)).length;
}

/** Number of attacked squares around a side's king, its own included. */
export function pressure(board: Squares, side: Side): number {
  const king = kingOf(board, side);
  if (king < 0) return 0;
  const zone = [king, ...AROUND.map((step) => at(king, step)).filter((square) => square >= 0)];
  return zone.reduce((sum, square) => sum + Math.min(2, attackers(board, square, other(side)).length), 0);
}

/** Checks whether a side is in a check that cannot be blocked, captured or escaped: mate with any piece from the partner. */
export function isMated(board: Squares, side: Side): boolean {
  const king = kingOf(board, side);
  if (king < 0) return false;
  const checks = attackers(board, king, other(side));
  const [check] = checks;
  if (check === undefined || escapes(board, side) > 0) return false;
  if (checks.length > 1) return true;
  const apart = Math.max(Math.abs((check % FILES) - (king % FILES)), Math.abs(Math.floor(check / FILES) - Math.floor(king / FILES)));
  if (apart > 1 && (board[check] ?? '').toLowerCase() !== 'n') return false;
  const takers = attackers(board, check, side).filter((from) => from !== king);
  return !takers.some((from) => isSafe(moved(board, from, check), side));
}

/** Relative values of pieces in bughouse, where a minor piece in hand equals a rook. */
const WORTH: Readonly<Record<string, number>> = { p: 1, n: 2, b: 2, r: 2, q: 4 };
const worth = (piece: string | undefined): number => WORTH[(piece ?? '').toLowerCase()] ?? 0;
/** Distance from the king within which a capturable piece counts as a sacrifice. */
const NEAR_KING = 2;

/** A square's index by its name; -1 for anything else. */
export function squareNamed(name: string): number {
  const file = name.charCodeAt(0) - 'a'.charCodeAt(0);
  const rank = Number(name[1]);
  return file >= 0 && file < FILES && rank >= 1 && rank <= FILES ? (FILES - rank) * FILES + file : -1;
}

/** Checks whether the piece of the last ply, in UCI, is offered near the other king: taken it would cost its side more than it brings. */
export function isSacrifice(board: Squares, last: string): boolean {
  const square = squareNamed(last.slice(2, 4));
  const piece = board[square] ?? '';
  if (worth(piece) < 2) return false;
  const side: Side = isWhite(piece) ? 'white' : 'black';
  const king = kingOf(board, other(side));
  const apart = Math.max(Math.abs((king % FILES) - (square % FILES)), Math.abs(Math.floor(king / FILES) - Math.floor(square / FILES)));
  if (king < 0 || apart > NEAR_KING) return false;
  const takers = attackers(board, square, other(side)).filter((from) => isSafe(moved(board, from, square), other(side)));
  if (takers.length === 0) return false;
  const isGuarded = attackers(board, square, side).length > 0;
  return !isGuarded || takers.some((from) => from !== king && worth(board[from]) < worth(piece));
}

/** Boards that a side can reach with one ply; its reserve is in upper-case letters. */
function* plies(board: Squares, side: Side, reserve: string): Generator<string[]> {
  const own = (letter: string) => (side === 'white' ? letter.toUpperCase() : letter.toLowerCase());
  for (const [from, piece] of board.entries()) {
    if (!isOf(piece, side)) continue;
    for (const to of targets(board, from, piece, side)) {
      const next = moved(board, from, to);
      const isLast = to < FILES || to >= 56;
      if (piece.toLowerCase() === 'p' && isLast) next[to] = own('q');
      yield next;
    }
  }
  for (const letter of new Set(reserve)) {
    for (const [to, piece] of board.entries()) {
      if (piece !== '' || (letter === 'P' && (to < FILES || to >= 56))) continue;
      const next = [...board];
      next[to] = own(letter);
      yield next;
    }
  }
}

function targets(board: Squares, from: number, piece: string, side: Side): number[] {
  const kind = piece.toLowerCase();
  const may = (to: number) => to >= 0 && !isOf(board[to] ?? '', side);
  if (kind === 'n') return JUMPS.map((jump) => at(from, jump)).filter(may);
  if (kind === 'k') return AROUND.map((step) => at(from, step)).filter(may);
  if (kind === 'p') {
    const ahead = at(from, [0, forward(side)]);
    const taken = [-1, 1].map((right) => at(from, [right, forward(side)])).filter((to) => to >= 0 && isOf(board[to] ?? '', other(side)));
    return ahead >= 0 && board[ahead] === '' ? [ahead, ...taken] : taken;
  }
  const found: number[] = [];
  for (const step of SLIDES[kind] ?? []) {
    let to = at(from, step);
    for (; to >= 0 && board[to] === ''; to = at(to, step)) found.push(to);
    if (may(to)) found.push(to);
  }
  return found;
}

/** Checks whether a side could mate with one ply, if it were to move. */
export function canMate(board: Squares, side: Side, reserve: string): boolean {
  for (const next of plies(board, side, reserve)) {
    if (isMated(next, other(side)) && isSafe(next, side)) return true;
  }
  return false;
}
