/** A round at the desk: a row a pairing, and a key a result. Arrows move, 1, =, 0, +, - and x enter, c confirms. */
import { useRef } from 'preact/hooks';
import { t } from '../../language/td';
import { CHOICES, STAGES, keyOf, mayEnter, stageOf } from '../../model/td/desk';
import type { PairingSheet, SectionSheet } from '../../model/td/wire';
import { PairingTable } from './PairingTable';
import { Sure } from './Sure';

type Act = (deed: unknown, label: string) => void;

interface Props {
  readonly section: SectionSheet;
  readonly pairings: readonly PairingSheet[];
  readonly act: Act;
  readonly more: (pairing: PairingSheet) => preact.ComponentChildren;
}

export function DeskTable({ section, pairings, act, more }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  const enter = (pairing: PairingSheet, { outcome, words }: (typeof CHOICES)[number]) =>
    act({ kind: 'result-entered', pairing: pairing.pairing, outcomes: [outcome] }, `${pairing.names.join(' – ')}: ${words}`);
  const confirm = (pairing: PairingSheet) => act({ kind: 'result-confirmed', pairing: pairing.pairing }, t('{names} confirmed', { names: pairing.names.join(' – ') }));
  const onKey = (event: KeyboardEvent, pairing: PairingSheet, at: number) => {
    // Fields and buttons in a row have keys of their own.
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = keyOf(event.key);
    if (key === null) return;
    event.preventDefault();
    if (key === 'up' || key === 'down') (body.current?.rows[at + (key === 'up' ? -1 : 1)] as HTMLElement | undefined)?.focus();
    else if (key === 'confirm') {
      if (stageOf(pairing) === 'to-confirm') confirm(pairing);
    } else if (mayEnter(section, pairing)) enter(pairing, key.enter);
  };
  const toConfirm = pairings.filter((one) => stageOf(one) === 'to-confirm');
  return (
    <>
      <table class="desk" data-testid="desk">
        <thead>
          <tr>
            <th>{t('Table')}</th>
            <th>{t('First side')}</th>
            <th>{t('Second side')}</th>
            <th>{t('State')}</th>
            <th>{t('Result')}</th>
            <th>{t('Enter')}</th>
            <th>{t('More')}</th>
          </tr>
        </thead>
        <tbody ref={body}>
          {pairings.map((pairing, at) => (
            <tr key={pairing.pairing} tabIndex={0} data-pairing={pairing.pairing} data-stage={stageOf(pairing)} aria-label={t('Table {table}: {names}, {stage}', { table: pairing.table, names: pairing.names.join(' – '), stage: STAGES[stageOf(pairing)] })} onKeyDown={(event) => onKey(event, pairing, at)}>
              <td>
                <PairingTable pairing={pairing} />
              </td>
              <td>{pairing.names[0]}</td>
              <td>{pairing.names[1]}</td>
              <td>{STAGES[stageOf(pairing)]}</td>
              <td>
                <strong>{pairing.result ?? ''}</strong>
              </td>
              <td>
                <div class="desk-enter">
                  {mayEnter(section, pairing) && CHOICES.slice(0, 3).map((choice) => (
                    <button key={choice.key} title={t('Key {key}', { key: choice.key })} onClick={() => enter(pairing, choice)}>{choice.words}</button>
                  ))}
                  {stageOf(pairing) === 'to-confirm' && <button class="strong" title={t('Key c')} onClick={() => confirm(pairing)}>{t('Confirm')}</button>}
                </div>
              </td>
              <td>{more(pairing)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="td-soft">
        {t('Keys in a row:')}{' '} {CHOICES.map(({ key, words }) => t('{key} enters {words}', { key, words })).join(', ')}{t(', c confirms, arrows move. An entered result counts once it is confirmed.')}
      </p>
      {toConfirm.length > 1 && (
        <Sure label={t('Confirm all {n}', { n: toConfirm.length })} says={toConfirm.map(({ table, result }) => `${table}: ${result ?? ''}`).join(', ')} act={() => toConfirm.forEach(confirm)} />
      )}
    </>
  );
}
