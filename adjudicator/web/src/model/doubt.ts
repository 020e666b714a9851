/** Uncertain pieces: which squares are in doubt, and how their candidates are put to a person. */
import { coded, t } from '../language/language';
import type { Candidate, Uncertain } from './wire';
import { type Role, roleOf } from './placement';

/** A piece less probable than this is drawn as uncertain. */
export const SURE_FROM_P = 0.9;

/** The entries that are really in doubt, by square. */
export function doubts(uncertain: readonly Uncertain[]): Map<string, Uncertain> {
  return new Map(uncertain.filter(({ p }) => p < SURE_FROM_P).map((entry) => [entry.square, entry]));
}

export interface Choice {
  readonly role: Role | undefined;
  readonly name: string;
  readonly p: number;
  /** `71 %`; never `0 %` or `100 %` for something that is only nearly so. */
  readonly percent: string;
}

/** The candidates, likeliest first; what they leave over is put as one last choice. */
export function choices(candidates: readonly Candidate[]): Choice[] {
  const sorted = [...candidates].sort((a, b) => b.p - a.p);
  const rest = 1 - sorted.reduce((sum, { p }) => sum + p, 0);
  const named = sorted.map(({ piece, p }) => {
    const role = roleOf(piece);
    return { role, name: role === undefined ? (piece === '' ? t('empty') : piece) : coded(role), p, percent: percent(p) };
  });
  const REST_SHOWN_FROM = 0.005;
  if (rest < REST_SHOWN_FROM) return named;
  return [...named, { role: undefined, name: t('something else'), p: rest, percent: percent(rest) }];
}

export function percent(p: number): string {
  if (p > 0.99 && p < 0.9995) return `${(p * 100).toFixed(1)} %`;
  if (p < 0.01 && p > 0) return '< 1 %';
  return `${Math.round(p * 100)} %`;
}

/**
 * The doubtful square nearest to a touch, so that a finger need not hit a square that is smaller
 * than itself. Points and squares in pixels of the board; nothing beyond `reach_px` counts.
 */
export function nearestDoubt(
  centres: readonly { square: string; x: number; y: number }[],
  touch: { x: number; y: number },
  reach_px: number,
): string | undefined {
  let best: { square: string; distance: number } | undefined;
  for (const { square, x, y } of centres) {
    const distance = Math.max(Math.abs(x - touch.x), Math.abs(y - touch.y));
    if (distance <= reach_px && (best === undefined || distance < best.distance)) best = { square, distance };
  }
  return best?.square;
}
