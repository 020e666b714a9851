/** Asks the server for snapshots, and describes a failure in words. */
import { DecodeError, type Decoder } from '../model/decode';
import { IS_MIRROR, copyOf, unpacked } from './mirror';

const REQUEST_MAX_MS = 10_000;

/** Reason why there is no snapshot. */
export class FetchError extends Error {
  constructor(
    message: string,
    /** `missing`: the server knows no such thing. `unreachable`: try again. `misfit`: it answered something else. */
    readonly kind: 'missing' | 'unreachable' | 'misfit',
  ) {
    super(message);
    this.name = 'FetchError';
  }
}

export async function fetchSnapshot<T>(path: string, decoder: Decoder<T>): Promise<T> {
  let response: Response;
  let body: unknown;
  try {
    const file = IS_MIRROR ? copyOf(path) : path;
    response = await fetch(file, { signal: AbortSignal.timeout(REQUEST_MAX_MS), cache: IS_MIRROR ? 'no-cache' : 'no-store' });
    if (response.status === 404) throw new FetchError(`The server has no ${path}.`, 'missing');
    if (!response.ok) throw new FetchError(`The server answered ${response.status} to ${path}.`, 'unreachable');
    body = IS_MIRROR ? await unpacked(response) : await response.json();
  } catch (error) {
    if (error instanceof FetchError) throw error;
    if (error instanceof SyntaxError) throw new FetchError(`${path} is not JSON.`, 'misfit');
    throw new FetchError('The server does not answer.', 'unreachable');
  }
  try {
    return decoder(body, '');
  } catch (error) {
    if (error instanceof DecodeError) throw new FetchError(`${path}: ${error.message}`, 'misfit');
    throw error;
  }
}

/** Decodes an answer; null where it has another shape. */
export function decodedAs<T>(decoder: Decoder<T>, body: unknown): T | null {
  try {
    return decoder(body, '');
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}
