/** Requests of a page with a link on paper. The link's secret stays behind the address's `#`, and goes in a header. */
import { useEffect, useState } from 'preact/hooks';
import { t } from '../language/language';
import type { Decoder } from '../model/decode';
import { decodedAs } from './api';

const REQUEST_MAX_MS = 10_000;

const headers = () => ({ 'x-twinboard-link': window.location.hash.slice(1), 'content-type': 'application/json' });

const asked = (path: string, init: RequestInit) =>
  fetch(path, { ...init, headers: headers(), cache: 'no-store', signal: AbortSignal.timeout(REQUEST_MAX_MS) }).catch(() => null);

/** The link's answer, with the lead of the server's clock, or the reason why there is none. */
export interface Linked<T> {
  readonly of: T | null;
  readonly ahead_ms: number;
  readonly note: string;
}

/** Reads what a link shows, every `again_ms`, and at once when `count` changes. */
export function useLinked<T extends { readonly now_ms: number }>(path: string, decoder: Decoder<T>, again_ms: number, count = 0): Linked<T> {
  const [linked, setLinked] = useState<Linked<T>>({ of: null, ahead_ms: 0, note: t('Opening…') });
  useEffect(() => {
    let isOver = false;
    const say = (note: string) => setLinked((old) => ({ ...old, note }));
    const look = async () => {
      const answer = await asked(path, {});
      if (isOver) return;
      if (answer === null) return say(t('There is no line to the hall just now.'));
      // Revoked: what was shown goes.
      if (answer.status === 404 || answer.status === 401) return setLinked({ of: null, ahead_ms: 0, note: t('This link is not valid, or not any more. Ask the organiser for a new one.') });
      if (!answer.ok) return say(t('The server answered {status}.', { status: answer.status }));
      const of = decodedAs(decoder, await answer.json().catch(() => null));
      if (of === null) return say(t('The server has another release than this page: load it again.'));
      setLinked({ of, ahead_ms: of.now_ms - Date.now(), note: '' });
    };
    void look();
    const timer = window.setInterval(() => void look(), again_ms);
    return () => {
      isOver = true;
      window.clearInterval(timer);
    };
  }, [path, count]);
  return linked;
}

/** Sends what is done by a link. Returns why it was not done; null: it was done; undefined: nothing answered, so it is to be sent again. */
export async function act(path: string, key: string, deed: unknown): Promise<string | null | undefined> {
  const answer = await asked(path, { method: 'POST', body: JSON.stringify({ key, deed }) });
  if (answer === null || answer.status >= 500 || answer.status === 429) return undefined;
  if (answer.ok) return null;
  const body = (await answer.json().catch(() => null)) as { readonly error?: string; readonly reason?: string } | null;
  return body?.error ?? body?.reason ?? t('The server answered {status}.', { status: answer.status });
}
