/** Lines of a ledger that do not count any more, and why. */
import { t } from '../../language/td';

interface Line {
  readonly act: number;
  readonly kind: string;
  readonly supersedes: number | null;
}

/** Line that withdrew or replaced an act, by that act. */
export function laterLines<L extends Line>(lines: readonly L[]): ReadonlyMap<number, L> {
  return new Map(lines.flatMap((line) => (line.supersedes === null ? [] : [[line.supersedes, line] as const])));
}

/** Fate of a line, by the line that followed on it. */
export function supersededWords(later: Line): string {
  return later.kind === 'withdrawn' ? t('taken back') : t('replaced');
}
