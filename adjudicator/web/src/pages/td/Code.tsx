/** A QR code from its rows of 0 and 1. */
import { t } from '../../language/td';

const QUIET = 4;

export function Code({ rows }: { readonly rows: readonly string[] }) {
  const size = rows.length + 2 * QUIET;
  const path = rows.flatMap((row, y) => [...row].map((bit, x) => (bit === '1' ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : ''))).join('');
  return (
    <svg class="code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={t('Code for a phone\'s camera')}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
