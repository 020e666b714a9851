/** A round put right before it is played: what to look at, two that change places, two tables exchanged, a pairing added. */
import { useState } from 'preact/hooks';
import { t, tx } from '../../language/td';
import { findingWords, freePairing, freeTable, unpaired } from '../../model/td/desk';
import type { EventSheet, SectionSheet } from '../../model/td/wire';
import { Sure } from './Sure';

interface Props {
  readonly event: EventSheet;
  readonly section: SectionSheet;
  readonly round: number;
  readonly act: (deed: unknown, label: string) => void;
}

export function Findings({ section, round }: Pick<Props, 'section' | 'round'>) {
  if (section.findings.length === 0 || round !== section.opened) return null;
  return (
    <ul class="problems" data-testid="findings">
      {section.findings.map((one, index) => (
        <li key={index} data-severity="warning">{findingWords(section, one)}</li>
      ))}
    </ul>
  );
}

export function RoundTools(props: Props) {
  const { section, round } = props;
  const open = unplayed(section, round);
  const left = unpaired(section, round);
  if (round > section.opened || (open.length < 2 && left.length < 2)) return null;
  return (
    <details data-testid="round-tools">
      <summary>{tx('Change the round{n}', { n: left.length > 0 && t(' ({n} not paired)', { n: left.length }) })}</summary>
      {open.length >= 2 && <Exchange {...props} />}
      {left.length >= 2 && section.game !== 'rotating-partners' && <AddPairing {...props} />}
    </details>
  );
}

/** Pairings without a result. Children may sit at each other's tables and play already. */
const unplayed = (section: SectionSheet, round: number) => section.pairings.filter((one) => one.round === round && one.result === null);

/** Two entrants of different pairings, or two tables. */
function Exchange({ section, round, act }: Props) {
  const [chosen, setChosen] = useState<readonly [string, string]>(['', '']);
  const places = unplayed(section, round).flatMap((pairing) => pairing.sides.flat().map((number) => ({ key: `${pairing.pairing} ${number}`, pairing, number })));
  const name = (number: number) => section.entrants.find((one) => one.number === number)?.name ?? t('No. {number}', { number });
  const [one, other] = chosen.map((key) => places.find((place) => place.key === key));
  const differ = one !== undefined && other !== undefined && one.pairing.pairing !== other.pairing.pairing;
  const choose = (at: 0 | 1, key: string) => setChosen(at === 0 ? [key, chosen[1]] : [chosen[0], key]);
  return (
    <>
      <div class="fields">
        {([0, 1] as const).map((at) => (
          <label key={at}>
            {at === 0 ? t('This one') : t('and this one')}
            <select value={chosen[at]} onChange={(event) => choose(at, event.currentTarget.value)}>
              <option value="">{t('Choose')}</option>
              {places.map((place) => (
                <option key={place.key} value={place.key}>{t('{name} (table {table})', { name: name(place.number), table: place.pairing.table })}</option>
              ))}
            </select>
          </label>
        ))}
      </div>
      <div class="decisions">
        <Sure
          label={t('Change places')}
          says={differ ? t('{name} to table {table}, {name2} to table {table2}', { name: name(one.number), table: other.pairing.table, name2: name(other.number), table2: one.pairing.table }) : ''}
          disabled={!differ}
          act={() => one && other && act({ kind: 'entrants-exchanged', pairings: [one.pairing.pairing, other.pairing.pairing], numbers: [one.number, other.number] }, t('{name} and {name2} change places', { name: name(one.number), name2: name(other.number) }))}
        />
        <Sure
          label={t('Exchange the tables')}
          says={differ ? t('{names} to table {table}, {names2} to table {table2}', { names: one.pairing.names.join(' – '), table: other.pairing.table, names2: other.pairing.names.join(' – '), table2: one.pairing.table }) : ''}
          disabled={!differ}
          act={() => one && other && act({ kind: 'tables-exchanged', pairings: [one.pairing.pairing, other.pairing.pairing] }, t('tables {table} and {table2} exchanged', { table: one.pairing.table, table2: other.pairing.table }))}
        />
      </div>
    </>
  );
}

function AddPairing({ event, section, round, act }: Props) {
  const left = unpaired(section, round);
  const [sides, setSides] = useState<readonly [number, number]>([0, 0]);
  const [typed, setTable] = useState<string | null>(null);
  const table = typed ?? freeTable(event, round);
  const name = (number: number) => section.entrants.find((one) => one.number === number)?.name ?? '';
  const [first, second] = sides;
  const isWhole = left.includes(first) && left.includes(second) && first !== second && table !== '';
  return (
    <>
      <div class="fields">
        <label>
          {t('Table')}
          <input value={table} onInput={(input) => setTable(input.currentTarget.value.trim())} />
        </label>
        {([0, 1] as const).map((at) => (
          <label key={at}>
            {at === 0 ? t('First side') : t('Second side')}
            <select value={sides[at]} onChange={(change) => setSides(at === 0 ? [Number(change.currentTarget.value), second] : [first, Number(change.currentTarget.value)])}>
              <option value={0}>{t('Choose')}</option>
              {left.map((number) => (
                <option key={number} value={number}>{`${number}. ${name(number)}`}</option>
              ))}
            </select>
          </label>
        ))}
      </div>
      <div class="decisions">
        <Sure
          label={t('Add the pairing')}
          says={t('table {table}: {name} – {name2}', { table, name: name(first), name2: name(second) })}
          disabled={!isWhole}
          act={() => act({ kind: 'pairing-made', pairing: freePairing(event), section: section.section, round, table, sides: [[first], [second]] }, t('table {table}: {name} – {name2}', { table, name: name(first), name2: name(second) }))}
        />
      </div>
    </>
  );
}
