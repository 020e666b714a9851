/**
 * The truth about the line. The page never says "live" because nothing told it otherwise, only
 * because it heard from the server a moment ago.
 */

/** The server speaks at least every two seconds; three missed beats and the line counts as dead. */
export const SILENCE_MAX_MS = 6_000;

export type Line =
  /** No message has arrived yet. */
  | { readonly kind: 'opening' }
  | { readonly kind: 'live' }
  /** No message has arrived since `since_ms` (local time). */
  | { readonly kind: 'stale'; readonly since_ms: number };

export const OPENING: Line = { kind: 'opening' };

/** State of the connection after a message. */
export function heard(): Line {
  return { kind: 'live' };
}

/** The line once the connection has broken, or has been found silent for too long. */
export function broken(line: Line, last_heard_ms: number | undefined): Line {
  if (line.kind === 'stale' || last_heard_ms === undefined) return line;
  return { kind: 'stale', since_ms: last_heard_ms };
}

/** Checks whether a connection without messages for `silence_ms` has to be closed. */
export function isSilent(silence_ms: number): boolean {
  return silence_ms > SILENCE_MAX_MS;
}

export const RETRY_FIRST_MS = 500;
/** Time for which a page asks a restarting server without longer and longer waits. */
export const RESTART_MAX_MS = 30_000;
/** Shortest and longest wait before a page asks a restarting server again: ten thousand pages must not ask in one moment. */
const RESTART_RETRY_MS = [100, 500] as const;
export const RETRY_MAX_MS = 8_000;
/** For a stream's scenes: there is one line for all of a browser's, and a broadcast does not wait. */
export const SCENE_RETRY_MAX_MS = 1_000;

/** Share by which a wait is randomly shortened or lengthened, so that thousands of pages do not return at once. */
const JITTER = 0.5;
const SCENE_JITTER = 0.25;

/** The wait before the `attempt`th retry (from 0), at most about `most_ms`; `spread` in 0..1 keeps a hall of pages from knocking at once. */
export function retryAfter_ms(attempt: number, spread: number, most_ms = RETRY_MAX_MS): number {
  const wait_ms = Math.min(most_ms, RETRY_FIRST_MS * 2 ** Math.min(attempt, 10));
  const jitter = most_ms > SCENE_RETRY_MAX_MS ? JITTER : SCENE_JITTER;
  return Math.round(wait_ms * (1 + jitter * (2 * spread - 1)));
}

/** The wait before a page asks a restarting server again; `spread` in 0..1. */
export function restartRetryAfter_ms(spread: number): number {
  const [shortest, longest] = RESTART_RETRY_MS;
  return Math.round(shortest + (longest - shortest) * spread);
}

/** `12 s`, `3 min`, `2 h`: how long something has lasted, without false precision. */
export function lasted(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}
