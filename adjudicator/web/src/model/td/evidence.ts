/** Readings of a part of a match, as a picture for every moment of it. Pure. */
import { t } from '../../language/td';
import type { BoardId, Side } from '../wire';
import type { Clip, Reading } from './api';

export { type Clip, clip } from './api';

/** A square that changed so lately is lit, microseconds. */
const LIT_US = 700_000;
/** Time that a press is shown, microseconds. */
const PRESSED_US = 600_000;

/** One board at a moment. */
export interface Sensed {
  /** Occupied squares, from a1; none before they were read. */
  readonly occupied: readonly boolean[] | null;
  /** Squares that have just changed, from a1. */
  readonly lit: ReadonlySet<number>;
  /** Side whose button was just pressed. */
  readonly pressed: Side | null;
  readonly running: Side | null;
  /** Hands at the clock. */
  readonly hands: readonly Side[];
}

export function boardsOf({ lines }: Clip): BoardId[] {
  return (['A', 'B'] as const).filter((board) => lines.some((one) => one.board === board));
}

/** A board as it was read until `t_us`. */
export function sensedAt({ lines }: Clip, board: BoardId, t_us: number): Sensed {
  let occupied: boolean[] | null = null;
  let pressed: Side | null = null;
  let running: Side | null = null;
  const lit = new Set<number>();
  const hands = new Set<Side>();
  for (const one of lines) {
    if (one.t_us > t_us) break;
    if (one.board !== board) continue;
    const isLate = t_us - one.t_us;
    const square = one.square === null ? -1 : squareIndex(one.square);
    if (one.kind === 'snapshot' && one.occupied !== null) occupied = bits(one.occupied);
    if (one.kind === 'square' && square >= 0) {
      if (occupied !== null) occupied[square] = isOccupied(one);
      if (isLate <= LIT_US) lit.add(square);
    }
    if (one.kind === 'press') pressed = isLate <= PRESSED_US ? one.by : null;
    if (one.kind === 'clock') running = one.running;
    if (one.kind === 'hand' && one.side !== null) {
      if (one.near === true) hands.add(one.side);
      else hands.delete(one.side);
    }
  }
  return { occupied, lit, pressed, running, hands: [...hands] };
}

/** Readings in words, less those that only repeat the display. */
export function events({ lines, from_us }: Clip): { readonly t_us: number; readonly words: string }[] {
  return lines.flatMap((one) => {
    const words = one.t_us <= from_us ? null : wordsOf(one);
    return words === null ? [] : [{ t_us: one.t_us, words: `${one.board ?? ''} ${words}`.trim() }];
  });
}

function wordsOf(one: Reading): string | null {
  const who = (of: Side | null) => (of === 'white' ? t('White') : t('Black'));
  switch (one.kind) {
    case 'square':
      return isOccupied(one) ? t('{square}: a piece', { square: one.square ?? '' }) : t('{square} empty', { square: one.square ?? '' });
    case 'press':
      return t('{who} pressed', { who: who(one.by) });
    case 'hand':
      return one.near === true ? t('{who}’s hand at the clock', { who: who(one.side) }) : null;
    case 'tray':
      return t('tray of {who}, slot {slot}: {reading}', { who: who(one.side), slot: (one.slot ?? 0) + 1, reading: one.reading === 'empty' ? t('empty') : t('a piece') });
    case 'tilt':
      return one.on === true ? t('clock knocked over') : t('clock stands again');
    case 'gap':
      return t('readings were lost');
    default:
      return null;
  }
}

function isOccupied(one: Reading): boolean {
  return one.reading === null ? (one.level ?? 0) !== 0 : one.reading !== 'empty';
}

function squareIndex(name: string): number {
  return name.charCodeAt(0) - 97 + 8 * (Number(name[1]) - 1);
}

/** From a bitboard of 16 hexadecimal digits. */
function bits(hex: string): boolean[] {
  const value = BigInt(`0x${hex}`);
  return Array.from({ length: 64 }, (_, square) => ((value >> BigInt(square)) & 1n) === 1n);
}
