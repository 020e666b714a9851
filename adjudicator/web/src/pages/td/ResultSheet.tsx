/** The result: what the boards show, what is entered, who has signed it. */
import '../../style/evidence.css';
import { useState } from 'preact/hooks';
import { coded, t, tx } from '../../language/td';
import { MiniBoard } from '../../components/MiniBoard';
import { timeWords } from '../../model/td/clockorder';
import type { Me } from '../../model/td/wire';
import { sensedBoards } from '../../model/wire';
import { Sure } from './Sure';
import type { Deciding } from './TablePage';
import { teamWords } from './words';

const REASONS = [
  'mate', 'flag', 'resignation', 'agreement', 'king-captured', 'illegal-ply', 'both-flags', 'stalemate', 'material', 'dead-position',
  'repetition', 'fifty-moves', 'drawn-ending', 'directors-draw', 'losing-chances', 'forfeit',
] as const;
/** Longest note, characters. */
const NOTE_MAX = 500;
const DRAWS: ReadonlySet<string> = new Set([
  'agreement', 'both-flags', 'stalemate', 'material', 'dead-position', 'repetition', 'fifty-moves', 'drawn-ending', 'directors-draw', 'losing-chances',
]);

export function ResultSheet({ match, decide, me }: Deciding & { readonly me: Me }) {
  const { result, proposal, confirmed } = match;
  const keeps = me.rank === 'scorekeeper';
  return (
    <section class="result-sheet" data-testid="result-sheet">
      <h2>{t('Result')}</h2>
      {proposal !== null && <p>{tx('The boards show: {text}', { text: proposal.text })}{proposal.rule !== null && <span class="td-soft"> {proposal.rule}</span>}</p>}
      {result !== null && (
        <p>
          <strong>{tx('Entered: {text}.', { text: result.text })}</strong> {result.is_final && t('Final.')}{' '}
          {t('Signed: {team} {mark}, {other} {other_mark}', { team: teamWords(match, 'team-1'), mark: result.signed[0] ? '✓' : '–', other: teamWords(match, 'team-2'), other_mark: result.signed[1] ? '✓' : '–' })}
          {result.is_confirmed && t(', confirmed by a director')}
        </p>
      )}
      {(result === null ? proposal !== null : !result.is_final) && <FinalPosition match={match} />}
      {confirmed === null ? (
        <Enter match={match} decide={decide} keeps={keeps} replaces={null} />
      ) : (
        !keeps && (
          <details data-testid="replace">
            <summary>{tx('Another result in place of {confirmed}', { confirmed })}</summary>
            <Enter match={match} decide={decide} keeps={false} replaces={confirmed} />
          </details>
        )
      )}
      {result !== null && !result.is_final && (
        <div class="decisions">
          {(['team-1', 'team-2'] as const).map((team, index) => (
            <Sure key={team} disabled={result.signed[index] === true} label={t('{team} signs', { team: teamWords(match, team) })} says={result.text} act={() => decide({ what: 'confirm' }, t('signed by {team}', { team: teamWords(match, team) }), team)} />
          ))}
          {!keeps && <Sure label={t('Confirm')} says={t('{text}; the match is over', { text: result.text })} act={() => decide({ what: 'confirm' }, t('result confirmed'))} />}
        </div>
      )}
      {result === null && proposal !== null && keeps && (
        <div class="decisions">
          {(['team-1', 'team-2'] as const).map((team) => (
            <Sure key={team} label={t('{team} enters it', { team: teamWords(match, team) })} says={proposal.text} act={() => decide({ what: 'enter-result', winner: proposal.winner, reason: proposal.reason }, t('entered by {team}', { team: teamWords(match, team) }), team)} />
          ))}
        </div>
      )}
    </section>
  );
}

type EnterProps = Deciding & {
  /** True if a director has yet to confirm it. */
  readonly keeps: boolean;
  /** The confirmed result that it replaces, in words. */
  readonly replaces: string | null;
};

/** Ending and winner. The replacement of a confirmed result needs a reason first. */
function Enter({ match, decide, keeps, replaces }: EnterProps) {
  const [reason, setReason] = useState<string | null>(null);
  const [note, setNote] = useState('');
  const chosen = reason ?? match.proposal?.reason ?? 'mate';
  const isDraw = DRAWS.has(chosen);
  const enter = (winner: 'team-1' | 'team-2' | null, words: string) =>
    decide({ what: 'enter-result', winner, reason: chosen, ...(replaces === null ? {} : { note }) }, words);
  const says = (winner: string) => {
    if (replaces !== null) return t('this replaces {replaces}, with {winner}', { replaces, winner });
    return keeps ? t('{winner}, for a director to confirm', { winner }) : t('record: {winner}; the match is over', { winner });
  };
  return (
    <>
      <label>
        {t('How')}
        <select value={chosen} onChange={(event) => setReason(event.currentTarget.value)}>
          {REASONS.map((one) => (
            <option key={one} value={one}>{coded(one)}</option>
          ))}
        </select>
      </label>
      {replaces !== null && (
        <label>
          {tx('Why it replaces {replaces}', { replaces })}
          <input value={note} maxLength={NOTE_MAX} onInput={(event) => setNote(event.currentTarget.value)} />
        </label>
      )}
      {(replaces === null || note.trim() !== '') && (
        <div class="decisions">
          {!isDraw && <Sure label={t('{team} wins', { team: teamWords(match, 'team-1') })} says={says('1-0')} act={() => enter('team-1', t('result 1-0, {chosen}', { chosen: coded(chosen) }))} />}
          {!isDraw && <Sure label={t('{team} wins', { team: teamWords(match, 'team-2') })} says={says('0-1')} act={() => enter('team-2', t('result 0-1, {chosen}', { chosen: coded(chosen) }))} />}
          {isDraw && <Sure label={t('Draw')} says={says('½-½')} act={() => enter(null, t('draw, {chosen}', { chosen: coded(chosen) }))} />}
          {chosen === 'forfeit' && <Sure label={t('Both lose')} says={says('0-0')} act={() => enter(null, t('both lose by forfeit'))} />}
        </div>
      )}
    </>
  );
}

/** Boards and clocks at the end, for the person who signs. */
function FinalPosition({ match }: Pick<Deciding, 'match'>) {
  const { boards } = match.shown.table;
  return (
    <div class="final-position" data-testid="final-position">
      {sensedBoards(match.shown.table).map((board) => {
        const now = boards[board];
        if (now === undefined || now === null) return null;
        return (
          <figure key={board}>
            <MiniBoard board={board} now={now} />
            <figcaption>
              {board}
              {now.clock !== null && t(': White {time}, Black {time2}', { time: timeWords(now.clock.white_ms), time2: timeWords(now.clock.black_ms) })}
            </figcaption>
          </figure>
        );
      })}
    </div>
  );
}
