/** Claims: which way the rule points and why, and the ruling. */
import { useState } from 'preact/hooks';
import type { Claim, Me } from '../../model/td/wire';
import { Asked } from './Asked';
import { Clauses } from './Clauses';
import { Sure } from './Sure';
import type { Deciding } from './TablePage';
import { pointsWords, seatWords, verdictWords } from './words';

export function Claims(props: Deciding & { readonly me: Me; readonly lookAt: (ply: number) => void }) {
  const { match } = props;
  const open = match.claims.filter(({ state }) => state === 'open');
  const ruled = match.claims.filter(({ state }) => state !== 'open');
  return (
    <>
      {open.map((claim, index) => (
        <OpenOne key={claim.act} {...props} claim={claim} order={open.length < 2 ? '' : `${index + 1} of ${open.length}, in the order in which they were opened: `} />
      ))}
      {ruled.map((claim) => (
        <RuledOne key={claim.act} {...props} claim={claim} />
      ))}
    </>
  );
}

type OpenProps = Deciding & { readonly claim: Claim; readonly order: string; readonly lookAt: (ply: number) => void };

function OpenOne({ match, decide, claim, order, lookAt }: OpenProps) {
  const [note, setNote] = useState('');
  const { verdict } = claim;
  const rule = (decision: string, words: string) => decide({ what: 'rule', on: claim.act, decision, note }, words);
  return (
    <section class="claim" data-testid="claim" data-by={claim.by} data-points={verdict.points ?? 'hidden'}>
      <h2>
        {order}{seatWords(match, claim.by)} claims: {claim.about}
      </h2>
      <p>
        <strong>{verdictWords(verdict)}.</strong> {verdict.says}
      </p>
      <Clauses because={verdict.because} />
      {verdict.against !== null && <button onClick={() => lookAt(verdict.against ?? 0)}>Show the ply</button>}
      {claim.look_at !== null && (
        <div class="look-at" data-testid="look-at">
          <p class="td-soft">What the board shows you counts. Look at it and ask both players:</p>
          <Asked match={match} decide={decide} question={claim.look_at} lookAt={lookAt} />
        </div>
      )}
      <label>
        Testimony, reasons
        <input value={note} maxLength={500} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      <div class="decisions">
        <Sure label="Uphold" says={verdict.if_upheld ?? 'nothing follows'} act={() => rule('upheld', 'claim upheld')} />
        <Sure label="Deny" says={verdict.if_denied ?? 'nothing follows'} act={() => rule('denied', 'claim denied')} />
        <Sure label="Play on" says={verdict.if_play_on ?? 'as if there had been no claim'} act={() => rule('play-on', 'play on')} />
      </div>
    </section>
  );
}

function RuledOne({ match, decide, claim, me, lookAt }: Deciding & { readonly claim: Claim; readonly me: Me; readonly lookAt: (ply: number) => void }) {
  const { appeal, since } = claim;
  const ruling = match.ledger.find(({ act }) => act === claim.ruling);
  const to = me.rank === 'section-chief' ? 'section-chief' : 'floor-chief';
  return (
    <section class="claim ruled" data-testid="ruled">
      <h2>
        {seatWords(match, claim.by)}: {claim.about} <em>{claim.state}</em>
      </h2>
      {since !== null && (
        <div data-testid="since">
          <p>
            <strong>Seen otherwise since the ruling: {since.timing}; {pointsWords(since)}.</strong> {since.says}
          </p>
          <p class="td-soft">The ruling stands. In the ledger below it can be taken back, and the claim ruled on anew.</p>
          {since.against !== null && <button onClick={() => lookAt(since.against ?? 0)}>Show the ply</button>}
        </div>
      )}
      {ruling !== undefined && appeal === null && (
        <div class="decisions">
          {(['team-1', 'team-2'] as const).map((team) => (
            <Sure
              key={team}
              label={`${team === 'team-1' ? 'Team 1' : 'Team 2'} appeals`}
              says="the section chief hears it, or the floor chief after them"
              act={() => decide({ what: 'appeal', of: ruling.act, to: ruling.kind === 'decided' ? 'floor-chief' : to }, 'appealed', team)}
            />
          ))}
        </div>
      )}
      {appeal !== null && (
        <div class="decisions">
          {(['upheld', 'denied', 'play-on'] as const).map((decision) => (
            <Sure
              key={decision}
              label={`Appeal: claim ${decision.replace('-', ' ')}`}
              says="this takes the ruling's place"
              act={() => decide({ what: 'decide', appeal, decision }, `appeal decided: ${decision}`)}
            />
          ))}
        </div>
      )}
    </section>
  );
}
