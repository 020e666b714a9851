/** Lines of a ledger that do not count any more, and why. */
import { t } from '../../language/td';

interface Line {
  readonly act: number;
  readonly kind: string;
  readonly supersedes: number | null;
}

/** Of each act that was taken back or replaced, the line that did it. */
export function laterLines<L extends Line>(lines: readonly L[]): ReadonlyMap<number, L> {
  return new Map(lines.flatMap((line) => (line.supersedes === null ? [] : [[line.supersedes, line] as const])));
}

/** What became of a line, by the one that came after it. */
export function supersededWords(later: Line): string {
  return later.kind === 'withdrawn' ? t('taken back') : t('replaced');
}
