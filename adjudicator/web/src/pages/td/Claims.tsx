/** Claims: which way the rule points and why, and the ruling. */
import { useState } from 'preact/hooks';
import { coded, langOf, served, t, tx } from '../../language/td';
import { type Instance, appealsTo, hears, instanceWords } from '../../model/td/appeals';
import type { Claim, LedgerLine, Me } from '../../model/td/wire';
import { Asked } from './Asked';
import { Clauses } from './Clauses';
import { type Choice, Follows } from './Follows';
import { Sure } from './Sure';
import type { Deciding } from './TablePage';
import { pointsWords, seatWords, teamWords, verdictWords } from './words';

/** Longest note, characters. */
const NOTE_MAX = 500;

export function Claims(props: Deciding & { readonly me: Me; readonly lookAt: (ply: number) => void }) {
  const { match } = props;
  const open = match.claims.filter(({ state }) => state === 'open' && props.me.rank !== 'scorekeeper');
  const ruled = match.claims.filter(({ state }) => state !== 'open');
  return (
    <>
      {open.map((claim, index) => (
        <OpenOne key={claim.act} {...props} claim={claim} order={open.length < 2 ? '' : t('{index} of {n}, in the order in which they were opened: ', { index: index + 1, n: open.length })} />
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
  const [chosen, choose] = useState<Choice | null>(null);
  const { verdict } = claim;
  const rule = (decision: string, words: string) =>
    decide({ what: 'rule', on: claim.act, decision, note, ...(chosen === null ? {} : { remedy: chosen.remedy }) }, words);
  return (
    <section class="claim" data-testid="claim" data-by={claim.by} data-points={verdict.points ?? 'hidden'}>
      <h2>
        {tx('{order}{seat} claims: {about}', { order, seat: seatWords(match, claim.by), about: served(claim.about) })}
      </h2>
      <p>
        <strong>{verdictWords(verdict)}.</strong> <span lang={langOf(verdict.says)}>{verdict.says}</span>
      </p>
      <Clauses because={verdict.because} />
      {verdict.against !== null && <button onClick={() => lookAt(verdict.against ?? 0)}>{t('Show the ply')}</button>}
      {claim.look_at !== null && (
        <div class="look-at" data-testid="look-at">
          <p class="td-soft">{t('The real board counts. Look at it and ask both players:')}</p>
          <Asked match={match} decide={decide} question={claim.look_at} lookAt={lookAt} />
        </div>
      )}
      {match.confirmed !== null && <p>{tx('{strong} The ruling then needs a reason.', { strong: <strong>{tx('A ruling may replace {confirmed}.', { confirmed: match.confirmed })}</strong> })}</p>}
      <label>
        {t('Testimony, reasons')}
        <input value={note} maxLength={NOTE_MAX} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      <div class="decisions">
        <Sure label={t('Uphold')} says={chosen?.words ?? verdict.if_upheld ?? t('nothing follows')} act={() => rule('upheld', t('claim upheld'))} />
        <Sure label={t('Deny')} says={chosen?.words ?? verdict.if_denied ?? t('nothing follows')} act={() => rule('denied', t('claim denied'))} />
        <Sure label={t('Play on')} says={chosen?.words ?? verdict.if_play_on ?? t('as if there had been no claim')} act={() => rule('play-on', t('play on'))} />
      </div>
      <Follows match={match} chosen={chosen} choose={choose} />
    </section>
  );
}

type RuledProps = Deciding & { readonly claim: Claim; readonly me: Me; readonly lookAt: (ply: number) => void };

function RuledOne({ match, decide, claim, me, lookAt }: RuledProps) {
  const { appeal, since } = claim;
  const ruling = match.ledger.find(({ act }) => act === claim.ruling);
  return (
    <section class="claim ruled" data-testid="ruled">
      <h2>
        {seatWords(match, claim.by)}: {served(claim.about)} <em>{coded(claim.state)}</em>
      </h2>
      {since !== null && (
        <div data-testid="since">
          <p>
            <strong>{tx('Seen otherwise since the ruling: {timing}; {points}.', { timing: coded(since.timing), points: pointsWords(since) })}</strong> <span lang={langOf(since.says)}>{since.says}</span>
          </p>
          <p class="td-soft">{t('The ruling is recorded. In the ledger below you can withdraw it, and rule on the claim again.')}</p>
          {since.against !== null && <button onClick={() => lookAt(since.against ?? 0)}>{t('Show the ply')}</button>}
        </div>
      )}
      {ruling !== undefined && appeal === null && <Appeal match={match} decide={decide} ruling={ruling} />}
      {appeal !== null && <Appealed match={match} decide={decide} appeal={appeal} me={me} />}
    </section>
  );
}

/** A team may take a ruling up to the next instance; above the chief director there is none. */
function Appeal({ match, decide, ruling }: Deciding & { readonly ruling: LedgerLine }) {
  const to = appealsTo(ruling);
  if (to === null) return <p class="td-soft">{t('This decision is final.')}</p>;
  return (
    <div class="decisions">
      {(['team-1', 'team-2'] as const).map((team) => (
        <Sure
          key={team}
          label={t('{team} appeals', { team: teamWords(match, team) })}
          says={t('the {instance} hears it; the ruling stands until then', { instance: instanceWords(to) })}
          act={() => decide({ what: 'appeal', of: ruling.act, to }, t('appealed'), team)}
        />
      ))}
    </div>
  );
}

function Appealed({ match, decide, appeal, me }: Deciding & { readonly appeal: number; readonly me: Me }) {
  const [note, setNote] = useState('');
  const [chosen, choose] = useState<Choice | null>(null);
  const line = match.ledger.find(({ act }) => act === appeal);
  const to: Instance = line?.text.includes('floor-chief') === true ? 'floor-chief' : 'section-chief';
  const words = instanceWords(to);
  if (!hears(me.rank, to)) return <p data-testid="appealed">{tx('{strong} The {words} decides.', { strong: <strong>{t('Appealed.')}</strong>, words })}</p>;
  return (
    <div data-testid="appealed">
      <p><strong>{tx('Appealed to the {words}.', { words })}</strong> {line?.note}</p>
      <label>
        {tx('Reasons of the {words}', { words })}
        <input value={note} maxLength={NOTE_MAX} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      <div class="decisions">
        {(['upheld', 'denied', 'play-on'] as const).map((decision) => (
          <Sure
            key={decision}
            label={DECIDED[decision]}
            says={t('{more}this takes the ruling’s place', { more: chosen === null ? '' : `${chosen.words}; ` })}
            act={() => decide({ what: 'decide', appeal, decision, note, ...(chosen === null ? {} : { remedy: chosen.remedy }) }, t('appeal decided: {decision}', { decision }))}
          />
        ))}
      </div>
      <Follows match={match} chosen={chosen} choose={choose} />
    </div>
  );
}

/** Of the claim, not of the appeal: that is what the ledger says, too. */
const DECIDED = { upheld: t('The claim is upheld'), denied: t('The claim is denied'), 'play-on': t('Play on') } as const;
