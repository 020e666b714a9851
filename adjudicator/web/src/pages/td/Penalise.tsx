/** Penalties: the book's ladder counts over the whole event and proposes the next step. */
import { useState } from 'preact/hooks';
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
    decide({ what: 'penalise', offence, whom, given: named, note }, `penalty for ${seatWords(match, whom)}`);
  };
  return (
    <details class="penalise">
      <summary>A penalty</summary>
      <div class="fields">
        <label>
          Whom
          <select value={whom} onChange={(event) => setWhom(event.currentTarget.value as Seat)}>
            {seatsOf(match).map((one) => (
              <option key={one} value={one}>{seatWords(match, one)}</option>
            ))}
          </select>
        </label>
        <label>
          For what
          <select value={offence} onChange={(event) => setOffence(event.currentTarget.value)}>
            <option value="">Choose one</option>
            {match.offences.map((one) => (
              <option key={one.offence} value={one.offence}>{one.about}</option>
            ))}
          </select>
        </label>
        <label>
          What
          <select value={given} onChange={(event) => setGiven(event.currentTarget.value)}>
            <option value="">{next === undefined ? 'Choose one' : `The next step of the book: ${next.gives}`}</option>
            <option value="warning">Warning</option>
            <option value="time-to-opponent">1 min to the opponent</option>
            <option value="time-from-offender">1 min from the offender</option>
            <option value="loses-game">Loss of the game</option>
            <option value="by-choice">Something else: write it below</option>
          </select>
        </label>
        <label>
          Reasons
          <input value={note} maxLength={500} onInput={(event) => setNote(event.currentTarget.value)} />
        </label>
      </div>
      {next !== undefined && (
        <p data-testid="next-penalty">
          <strong>{next.gives}</strong>: the book's next step, for {next.count === 1 ? 'the first' : `number ${next.count}`} of this kind in the event
          {known?.rule != null && <span class="td-soft"> {known.rule}</span>}
        </p>
      )}
      <Sure label="Give the penalty" says={`${given === '' ? (next?.gives ?? '') : 'as chosen'}: ${known?.about ?? ''}`} disabled={offence === '' || (given === '' && next === undefined)} act={call} />
    </details>
  );
}
