/** A pairing that has not been played: another table, other sides, or not at all. */
import { useState } from 'preact/hooks';
import { t, tx } from '../../language/td';
import { pairingAt } from '../../model/td/desk';
import type { PairingSheet, SectionSheet } from '../../model/td/wire';
import { Sure } from './Sure';

interface Props {
  readonly pairing: PairingSheet;
  readonly section: SectionSheet;
  readonly act: (deed: unknown, label: string) => void;
}

export function ChangePairing({ pairing, section, act }: Props) {
  const [table, setTable] = useState(pairing.table);
  const [sides, setSides] = useState<readonly (readonly number[])[]>(pairing.sides);
  const place = (side: number, at: number, number: number) =>
    setSides(sides.map((numbers, index) => (index === side ? numbers.map((old, seat) => (seat === at ? number : old)) : numbers)));
  const isSame = table === pairing.table && JSON.stringify(sides) === JSON.stringify(pairing.sides);
  const named = (number: number) => section.entrants.find((entrant) => entrant.number === number)?.name ?? String(number);
  const words = sides.map((numbers) => numbers.map(named).join(' and ')).join(' – ');
  const there = pairingAt(section, table, pairing);
  return (
    <details data-testid={`change-${pairing.pairing}`}>
      <summary>{t('Change')}</summary>
      <div class="fields">
        <label>
          {t('Table')}
          <input value={table} onInput={(event) => setTable(event.currentTarget.value.trim())} />
        </label>
        {sides.map((numbers, side) =>
          numbers.map((number, at) => (
            <label key={`${side} ${at}`}>
              {tx('{more} side', { more: side === 0 ? t('First') : t('Second') })}
              <select value={number} onChange={(event) => place(side, at, Number(event.currentTarget.value))}>
                {section.entrants.map((entrant) => (
                  <option key={entrant.number} value={entrant.number}>
                    {entrant.number}. {entrant.name}
                  </option>
                ))}
              </select>
            </label>
          )),
        )}
      </div>
      <div class="decisions">
        {there === undefined ? (
          <Sure
            label={t('Change it')}
            says={t('table {table}: {words}', { table, words })}
            disabled={isSame}
            act={() => act({ kind: 'pairing-changed', pairing: pairing.pairing, table, sides }, t('table {table}: {words}', { table, words }))}
          />
        ) : (
          <Sure
            label={t('Exchange with table {table}', { table })}
            says={t('{names} to table {table}, {names2} to table {table2}', { names: pairing.names.join(' – '), table, names2: there.names.join(' – '), table2: pairing.table })}
            act={() => act({ kind: 'tables-exchanged', pairings: [pairing.pairing, there.pairing] }, t('tables {table} and {table2} exchanged', { table: pairing.table, table2: table }))}
          />
        )}
        <Sure
          label={t('Withdraw this pairing')}
          says={t('it is not played, and both sides are free')}
          act={() => act({ kind: 'pairing-withdrawn', pairing: pairing.pairing, note: 'withdrawn by a director' }, t('{names} withdrawn', { names: pairing.names.join(' – ') }))}
        />
      </div>
    </details>
  );
}
