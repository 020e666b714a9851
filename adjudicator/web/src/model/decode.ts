/**
 * Checks what the server sent before anything else touches it. A page that trusts a message it
 * does not understand goes blank or, worse, shows something that is not so; a decoder that fails
 * names the place and what was expected there.
 */

/** A message that is not of the agreed shape; the text names the place. */
export class DecodeError extends Error {
  constructor(
    readonly place: string,
    readonly expected: string,
    found: unknown,
  ) {
    super(`${place || 'message'}: expected ${expected}, found ${describe(found)}`);
    this.name = 'DecodeError';
  }
}

/** Turns an unknown value into a `T`, or throws a {@link DecodeError} that names `place`. */
export type Decoder<T> = (value: unknown, place: string) => T;
/** Result type of a decoder. */
export type Decoded<D> = D extends Decoder<infer T> ? T : never;

const FOUND_MAX_CHARS = 40;

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > FOUND_MAX_CHARS ? `${text.slice(0, FOUND_MAX_CHARS)}…` : text;
}

export const string: Decoder<string> = (value, place) => {
  if (typeof value !== 'string') throw new DecodeError(place, 'text', value);
  return value;
};

export const number: Decoder<number> = (value, place) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new DecodeError(place, 'a number', value);
  }
  return value;
};

export const boolean: Decoder<boolean> = (value, place) => {
  if (typeof value !== 'boolean') throw new DecodeError(place, 'true or false', value);
  return value;
};

/** One of a few fixed words. */
export function oneOf<const W extends readonly string[]>(...words: W): Decoder<W[number]> {
  return (value, place) => {
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) throw new DecodeError(place, words.join(' or '), value);
    return word;
  };
}

/** `null`, or a field that is left out, stands for "there is none". */
export function nullable<T>(decoder: Decoder<T>): Decoder<T | null> {
  return (value, place) => (value === null || value === undefined ? null : decoder(value, place));
}

/** A field that older servers may leave out. */
export function otherwise<T>(decoder: Decoder<T>, fallback: T): Decoder<T> {
  return (value, place) => (value === undefined || value === null ? fallback : decoder(value, place));
}

export function list<T>(decoder: Decoder<T>): Decoder<T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) throw new DecodeError(place, 'a list', value);
    return value.map((item, index) => decoder(item, `${place}[${index}]`));
  };
}

export function pair<T>(decoder: Decoder<T>): Decoder<[T, T]> {
  return (value, place) => {
    if (!Array.isArray(value) || value.length !== 2) throw new DecodeError(place, 'a list of two', value);
    return [decoder(value[0], `${place}[0]`), decoder(value[1], `${place}[1]`)];
  };
}

/** Result of the first of several decoders that accepts the value. */
export function either<D extends readonly Decoder<unknown>[]>(...decoders: D): Decoder<Decoded<D[number]>> {
  return (value, place) => {
    for (const decoder of decoders) {
      try {
        return decoder(value, place) as Decoded<D[number]>;
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
      }
    }
    throw new DecodeError(place, `one of ${decoders.length} forms`, value);
  };
}

/** An object whose fields have any names, and values of one kind. */
export function record<T>(decoder: Decoder<T>): Decoder<Readonly<Record<string, T>>> {
  return (value, place) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new DecodeError(place, 'an object', value);
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, decoder(one, `${place}.${name}`)]));
  };
}

/** An object with at least these fields; fields that this page does not know are ignored. */
export function object<F extends Record<string, Decoder<unknown>>>(
  fields: F,
): Decoder<{ [K in keyof F]: Decoded<F[K]> }> {
  return (value, place) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new DecodeError(place, 'an object', value);
    }
    const record = value as Record<string, unknown>;
    const out: Record<string, unknown> = {};
    for (const [name, decoder] of Object.entries(fields)) {
      out[name] = decoder(record[name], place ? `${place}.${name}` : name);
    }
    return out as { [K in keyof F]: Decoded<F[K]> };
  };
}

/** Adds a condition, such as "is a placement of 8 ranks", to a decoder. */
export function where<T>(decoder: Decoder<T>, holds: (value: T) => boolean, expected: string): Decoder<T> {
  return (value, place) => {
    const decoded = decoder(value, place);
    if (!holds(decoded)) throw new DecodeError(place, expected, value);
    return decoded;
  };
}
