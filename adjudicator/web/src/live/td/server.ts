/** Requests of a director to the server: each carries a key, and the browser adds the cookie. */
import { t } from '../../language/td';
import { DecodeError, type Decoder } from '../../model/decode';
import { OTHER_RELEASE, isOfTheServer, otherRelease } from '../../model/td/queue';
import { type Me, paired } from '../../model/td/wire';

const KEY = 'twinboard.td.key';
const REQUEST_MAX_MS = 10_000;
/** Timeout of an organiser's file, equal to the server's: a slow connection needs it. */
const UPLOAD_MAX_MS = 300_000;

/** The server's refusal, or that it could not be asked (`status` 0), or that it answered what this page cannot read (`OTHER_RELEASE`). */
export class TdError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly body: Record<string, unknown> = {},
  ) {
    super(message);
    this.name = 'TdError';
  }
}

export const hasKey = (): boolean => localStorage.getItem(KEY) !== null;

export function headers(more: Record<string, string> = {}): Record<string, string> {
  return { 'x-twinboard-key': localStorage.getItem(KEY) ?? '', ...more };
}

async function asked(path: string, init: RequestInit, most_ms = REQUEST_MAX_MS): Promise<Record<string, unknown>> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, cache: 'no-store', signal: AbortSignal.timeout(most_ms) });
  } catch {
    throw new TdError(0, 'The server does not answer.');
  }
  // Networks that want to be logged in to answer in the server's place: that is no answer, and nothing was done.
  if (!isOfTheServer(response.headers.get('content-type'))) throw new TdError(0, 'Something else than the server answers: open another page, this network may want you to log in.');
  const body = (await response.json().catch(() => null)) as Record<string, unknown> | null;
  if (response.ok && body === null) throw new TdError(0, 'The answer broke off.');
  if (response.ok) return body ?? {};
  const reason = body?.['error'] ?? body?.['reason'] ?? t('The server answered {status}.', { status: response.status });
  throw new TdError(response.status, String(reason), body ?? {});
}

function decoded<T>(path: string, body: unknown, decoder: Decoder<T>): T {
  try {
    return decoder(body, '');
  } catch (error) {
    if (error instanceof DecodeError) throw new TdError(OTHER_RELEASE, `${otherRelease} (${path}: ${error.message})`);
    throw error;
  }
}

export async function get<T>(path: string, decoder: Decoder<T>): Promise<T> {
  return decoded(path, await asked(path, { headers: headers() }), decoder);
}

/** A file as text. */
export async function getText(path: string): Promise<string> {
  const response = await fetch(path, { headers: headers(), cache: 'no-store', signal: AbortSignal.timeout(REQUEST_MAX_MS) }).catch(() => null);
  if (response === null) throw new TdError(0, 'The server does not answer.');
  if (!response.ok) throw new TdError(response.status, `The server answered ${response.status}.`);
  return response.text();
}

export async function post<T>(path: string, body: unknown, decoder: Decoder<T>): Promise<T> {
  const init = { method: 'POST', headers: headers({ 'content-type': 'application/json' }), body: JSON.stringify(body) };
  return decoded(path, await asked(path, init), decoder);
}

export async function upload<T>(path: string, file: Blob, decoder: Decoder<T>): Promise<T> {
  return decoded(path, await asked(path, { method: 'POST', headers: headers({ 'content-type': 'application/octet-stream' }), body: file }, UPLOAD_MAX_MS), decoder);
}

/** Pairs this device. */
export async function pair(token: string, pin: string): Promise<Me> {
  const label = navigator.userAgent.replace(/^.*?\((.*?)\).*$/, '$1').slice(0, 60);
  const { key, me } = await post('/api/v1/td/pair', { token, pin, label }, paired);
  localStorage.setItem(KEY, key);
  return me;
}

export function forget(): void {
  localStorage.removeItem(KEY);
}
