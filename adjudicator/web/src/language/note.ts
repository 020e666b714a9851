/** A text that is put into words later: the worker that follows the round knows no language. */
import type { Text, Values } from './language';

export interface Note {
  readonly text: Text;
  readonly values: Readonly<Record<string, string>>;
}

export function note<K extends Text>(text: K, ...[values]: Values<K, string>): Note {
  return { text, values: values ?? {} };
}
