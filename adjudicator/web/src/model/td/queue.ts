/**
 * What a director did and the server has not answered yet. Acts are sent one after the other, each with a key: one whose
 * answer was lost is sent again with the same key and is not done twice. All tabs of a device have the same queue.
 */
import { t } from '../../language/td';

/** An act to be sent, with its words on the page. */
export interface QueuedAct {
  /** No other act of the device has the same. */
  readonly key: string;
  readonly deed: unknown;
  readonly label: string;
  /** Time of the act by this device's clock, Unix milliseconds. */
  readonly made_ms: number;
  /** Author: the name under which the device was paired then. */
  readonly by: string;
}

export type Queue = readonly QueuedAct[];

/** More than anybody decides in a dead spot. */
export const WAITING_MAX = 200;

export function enqueued(queue: Queue, act: QueuedAct): Queue {
  return queue.length >= WAITING_MAX ? queue : [...queue, act];
}

/** Time that an act has waited to be sent, milliseconds: a claim counts from when it was made. */
export function waited(act: QueuedAct, now_ms: number): number {
  // An act that another version of the page kept does not say when it was done.
  return Math.max(0, now_ms - (act.made_ms ?? now_ms));
}

/** Checks whether an act may be sent in a director's name: a phone that was handed on sends no act of its former user. */
export function isOf(act: QueuedAct, person: string): boolean {
  // An act that another version of the page kept does not say whose it is.
  return (act.by ?? person) === person;
}

/** Status of the answer to a device that acts too fast: nothing was done yet, and the act is sent again. */
export const TOO_FAST = 429;

/** The server has answered well, in words of another release: the act is done, and asking again would give the same words. */
export const OTHER_RELEASE = -1;
export const otherRelease = t('The server has another release than this page: load the page again.');

/** Checks whether an act stays in the queue after such an answer (0: there was none), because it says nothing about the act. */
export function isAskedAgain(status: number): boolean {
  return status === 0 || status === 408 || status === TOO_FAST || status >= 500;
}

/** The queue without an act that the server has answered. */
export function answered(queue: Queue, key: string): Queue {
  return queue.filter((act) => act.key !== key);
}

/** A queue as it was kept; an unreadable one is empty, because nothing can be sent of it. */
export function restored(text: string | null): Queue {
  try {
    const kept: unknown = JSON.parse(text ?? '');
    return Array.isArray(kept) ? (kept as QueuedAct[]).filter((act) => typeof act?.key === 'string') : [];
  } catch {
    return [];
  }
}

/** A key that no other act has: pages that come without encryption have no `crypto.randomUUID`. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Text about acts that wait. */
export function waitingWords(count: number): string {
  return count === 0 ? '' : t('{count} not sent', { count });
}

/** Checks whether an answer can be the server's own: it sends directors no page, and a captive portal sends nothing else. */
export function isOfTheServer(contentType: string | null): boolean {
  return contentType !== null && !contentType.startsWith('text/html');
}
