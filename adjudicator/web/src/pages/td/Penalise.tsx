/** Penalties: the book's ladder counts over the whole event and proposes the next step. */
import { useState } from 'preact/hooks';
import { served, t, tx } from '../../language/td';
import type { Seat } from '../../model/td/wire';
import { Sure } from './Sure';
import type { Deciding } from './TablePage';
import { seatWords, seatsOf } from './words';

export function Penalise({ match, decide }: Deciding) {
  const [offence, setOffence] = useState('');
  const [whom, setWhom] = useState<Seat>('white-a');
  const [given, setGiven] = useState('');
  const [note, setNote] = useState('');
  const known = match.offences.find((one) => one.offence === offence);
  const next = known?.next.find((one) => one.whom === whom);
  if (match.offences.length === 0) return null;
  const call = () => {
    const named = given === '' ? null : given.startsWith('time') ? { penalty: given, seconds: 60 } : { penalty: given };
    decide({ what: 'penalise', offence, whom, given: named, note }, t('penalty for {seat}', { seat: seatWords(match, whom) }));
  };
  return (
    <details class="penalise">
      <summary>{t('A penalty')}</summary>
      <div class="fields">
        <label>
          {t('Whom')}
          <select value={whom} onChange={(event) => setWhom(event.currentTarget.value as Seat)}>
            {seatsOf(match).map((one) => (
              <option key={one} value={one}>{seatWords(match, one)}</option>
            ))}
          </select>
        </label>
        <label>
          {t('For what')}
          <select value={offence} onChange={(event) => setOffence(event.currentTarget.value)}>
            <option value="">{t('Choose one')}</option>
            {match.offences.map((one) => (
              <option key={one.offence} value={one.offence}>{served(one.about)}</option>
            ))}
          </select>
        </label>
        <label>
          {t('What')}
          <select value={given} onChange={(event) => setGiven(event.currentTarget.value)}>
            <option value="">{next === undefined ? t('Choose one') : t('The next step of the book: {gives}', { gives: next.gives })}</option>
            <option value="warning">{t('Warning')}</option>
            <option value="time-to-opponent">{t('1 min to the opponent')}</option>
            <option value="time-from-offender">{t('1 min from the offender')}</option>
            <option value="loses-game">{t('Loss of the game')}</option>
            <option value="by-choice">{t('Something else: write it below')}</option>
          </select>
        </label>
        <label>
          {t('Reasons')}
          <input value={note} maxLength={500} onInput={(event) => setNote(event.currentTarget.value)} />
        </label>
      </div>
      {next !== undefined && (
        <p data-testid="next-penalty">
          {tx('{strong}: the book\'s next step, for {more} of this kind in the event', { strong: <strong>{next.gives}</strong>, more: next.count === 1 ? t('the first') : t('number {count}', { count: next.count }) })}
          {known?.rule != null && <span class="td-soft"> {known.rule}</span>}
        </p>
      )}
      <Sure label={t('Give the penalty')} says={`${given === '' ? (next?.gives ?? '') : t('as chosen')}: ${served(known?.about ?? '')}`} disabled={offence === '' || (given === '' && next === undefined)} act={call} />
    </details>
  );
}
