/** Times as directors type them and as clocks show them, and what a clock gives for each move. */
import { t } from '../../language/td';
import { perMoveWords } from '../terms';
import type { PerMove } from '../wire';

/** Longest time that a clock shows, milliseconds. */
const MOST_MS = 35_999_000;

/** Milliseconds of `2:00`, `90`, `1:05:00` or `0:05.5`; undefined for other text, and for 0. */
export function parseTime(text: string): number | null {
  const found = /^(?:(?:(\d{1,2}):)?(\d{1,3}):)?(\d{1,5})(?:[.,](\d))?$/.exec(text.trim());
  if (found === null) return null;
  const [hours, minutes, seconds, tenths] = found.slice(1).map((part) => Number(part ?? 0)) as [number, number, number, number];
  if (text.includes(':') && seconds > 59) return null;
  const ms = ((hours * 60 + minutes) * 60 + seconds) * 1000 + tenths * 100;
  return ms > 0 && ms <= MOST_MS ? ms : null;
}

/** `4:59`, `1:05:00`, `0:09`. */
export function timeWords(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Longest delay that a clock has, seconds. */
export const MOST_DELAY_S = 99;

/** Kinds of time for each move, as directors name them. */
export type DelayKind = 'us' | 'bronstein' | 'increment';

/** Kind and seconds of a clock's time for each move. */
export function delayOf({ increment_s, delay_s, delay }: PerMove): readonly [DelayKind, number] {
  return increment_s > 0 ? ['increment', increment_s] : [delay ?? 'us', delay_s];
}

/** Time for each move that an order sets. */
export function perMoveOf(kind: DelayKind, seconds: number): PerMove {
  if (kind === 'increment') return { increment_s: seconds, delay_s: 0, delay: null };
  return { increment_s: 0, delay_s: seconds, delay: seconds > 0 ? kind : null };
}

/** `5 s delay`, `no delay`. */
export function delayWords(gives: PerMove): string {
  return perMoveWords(gives) ?? t('no delay');
}
