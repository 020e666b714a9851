/** Table of a pairing. A link leads to this round's match and to no other. */
import { t, tx } from '../../language/td';
import type { PairingSheet } from '../../model/td/wire';

export function PairingTable({ pairing }: { readonly pairing: PairingSheet }) {
  const place = t('Table {table}', { table: pairing.table });
  const match = pairing.matches.at(-1);
  if (match === undefined) return <span class="pairing-table">{place}</span>;
  return <a class="pairing-table" href={`/td/match/${encodeURIComponent(match)}`}>{tx('{place}, round {round}', { place, round: pairing.round })}</a>;
}
