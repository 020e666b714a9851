/** A pairing that has not been played: another table, other sides, or not at all. */
import { useState } from 'preact/hooks';
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
      <summary>Change</summary>
      <div class="fields">
        <label>
          Table
          <input value={table} onInput={(event) => setTable(event.currentTarget.value.trim())} />
        </label>
        {sides.map((numbers, side) =>
          numbers.map((number, at) => (
            <label key={`${side} ${at}`}>
              {side === 0 ? 'First' : 'Second'} side
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
            label="Change it"
            says={`table ${table}: ${words}`}
            disabled={isSame}
            act={() => act({ kind: 'pairing-changed', pairing: pairing.pairing, table, sides }, `table ${table}: ${words}`)}
          />
        ) : (
          <Sure
            label={`Exchange with table ${table}`}
            says={`${pairing.names.join(' – ')} to table ${table}, ${there.names.join(' – ')} to table ${pairing.table}`}
            act={() => act({ kind: 'tables-exchanged', pairings: [pairing.pairing, there.pairing] }, `tables ${pairing.table} and ${table} exchanged`)}
          />
        )}
        <Sure
          label="Withdraw this pairing"
          says="it is not played, and both sides are free"
          act={() => act({ kind: 'pairing-withdrawn', pairing: pairing.pairing, note: 'withdrawn by a director' }, `${pairing.names.join(' – ')} withdrawn`)}
        />
      </div>
    </details>
  );
}
