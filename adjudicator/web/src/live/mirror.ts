/**
 * Pages on a plain web host, where `[[mirror]]` puts copies of the server's answers.
 *
 * Such a host has no stream and knows no queries. The page carries a mark, and then asks for the copies again and again; the browser
 * asks with conditions, so that an unchanged file costs no more than its headers.
 */

/** True on a page from such a host. */
export const IS_MIRROR = typeof document !== 'undefined' && document.documentElement.dataset['mirror'] !== undefined;

/** Interval at which a page asks for newer files. */
export const LOOK_EVERY_MS = 1_000;
/** The hall writes at least every three seconds; after that many without news its line counts as dead. */
export const MIRROR_SILENCE_MAX_MS = 12_000;

/** Letters, digits and `_` as they are, every other byte as `-` and two hexadecimal digits: a name that every host takes. */
export function fileName(name: string): string {
  const bytes = [...new TextEncoder().encode(name)];
  return bytes.map((byte) => (/[A-Za-z0-9_]/.test(String.fromCharCode(byte)) && byte < 128 ? String.fromCharCode(byte) : `-${byte.toString(16).padStart(2, '0')}`)).join('');
}

/** The file with the copy of the server's answer to `path`. */
export function copyOf(path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://server.invalid');
  const parts = pathname.split('/').map((part) => fileName(decodeURIComponent(part)));
  const asked = ['section', 'after'].flatMap((key) => searchParams.get(key) ?? []).map(fileName);
  return `${[...parts, ...asked].join('/')}.json.gz`;
}

/** The content of a copy. Some hosts say that such a file is compressed, so that the browser has unpacked it already. */
export async function unpacked(response: Response): Promise<unknown> {
  const bytes = await response.arrayBuffer();
  const [first, second] = new Uint8Array(bytes);
  if (first !== 0x1f || second !== 0x8b) return JSON.parse(new TextDecoder().decode(bytes));
  const body = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(body).json();
}
