/** Opens a claim for a player: only claims of the book, with their possible remedies. */
import { useEffect, useState } from 'preact/hooks';
import { langOf, served, t } from '../../language/td';
import { get } from '../../live/td/server';
import { type Seat, type Verdict, verdict } from '../../model/td/wire';
import type { Ply } from '../../model/wire';
import { Clauses } from './Clauses';
import type { Deciding } from './TablePage';
import { seatWords, seatsOf, verdictWords } from './words';

export function OpenClaim({ match, decide, looking }: Deciding & { readonly looking: Ply | null }) {
  const open = match.alerts.filter(({ claim, ply }) => claim === 'open' && ply !== null);
  // The selected ply, if there is something to claim about it; else the last that there is something about.
  const about = open.find(({ ply }) => ply === looking?.id) ?? open.at(-1);
  const suspect = match.shown.plies.find(({ id }) => id === about?.ply);
  // The opponent of the player whom the evidence is against may claim.
  const likely = suspect === undefined ? null : (`${suspect.side === 'white' ? 'black' : 'white'}-${suspect.board.toLowerCase()}` as Seat);
  const [kind, setKind] = useState('illegal-ply');
  const [by, setBy] = useState<Seat | null>(null);
  const [witnessed, setWitnessed] = useState(false);
  const [says, setSays] = useState<Verdict | null>(null);
  const seat = by ?? likely ?? 'white-a';
  const against = kind === 'illegal-ply' ? (suspect?.id ?? null) : null;
  const id = match.shown.table.match ?? '';
  const known = match.kinds.some((one) => one.kind === kind) ? kind : (match.kinds[0]?.kind ?? '');
  useEffect(() => {
    const query = new URLSearchParams({ claim: known, by: seat, witnessed: String(witnessed) });
    if (against !== null) query.set('against', String(against));
    let isOld = false;
    get(`/api/v1/td/matches/${encodeURIComponent(id)}/consider?${query}`, verdict).then(
      (found) => !isOld && setSays(found),
      () => !isOld && setSays(null),
    );
    return () => {
      isOld = true;
    };
  }, [known, seat, against, witnessed, match.version]);
  if (match.is_over) return null;
  const call = () =>
    decide({ what: 'claim', claim: known, by: seat, against, witnessed }, t('claim opened for {seat}', { seat: seatWords(match, seat) }));
  return (
    <section class="open-claim" data-testid="open-claim">
      <h2>{t('A player claims')}</h2>
      <div class="fields">
        <label>
          {t('Who')}
          <select value={seat} onChange={(event) => setBy(event.currentTarget.value as Seat)}>
            {seatsOf(match).map((one) => (
              <option key={one} value={one}>{seatWords(match, one)}</option>
            ))}
          </select>
        </label>
        <label>
          {t('What')}
          <select value={known} onChange={(event) => setKind(event.currentTarget.value)}>
            {match.kinds.map((one) => (
              <option key={one.kind} value={one.kind}>{served(one.about)}</option>
            ))}
          </select>
        </label>
        <label class="check">
          <input type="checkbox" checked={witnessed} onChange={(event) => setWitnessed(event.currentTarget.checked)} /> {' '}{t('A director or an independent witness saw it')}
        </label>
      </div>
      {says !== null && (
        <div data-testid="considered">
          <p>
            <strong>{verdictWords(says)}.</strong> <span lang={langOf(says.says)}>{says.says}</span>
          </p>
          <Clauses because={says.because} />
        </div>
      )}
      {looking !== null && against === null && <p class="td-soft">{t('It is taken to be against the last ply that it can concern.')}</p>}
      <button class="strong" onClick={call}>{t('Open the claim')}</button>
    </section>
  );
}
