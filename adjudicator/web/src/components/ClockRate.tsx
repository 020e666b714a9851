/** Notice that the clocks are faster than real ones, as in a sped-up simulation. */
import { t, tx } from '../language/language';

export function ClockRate({ rate }: { readonly rate: number }) {
  if (rate === 1) return null;
  return (
    <span class="clock-rate" title={t('The clocks of this simulation go faster than real ones')}>
      {tx('{rate}× speed', { rate })}
    </span>
  );
}
