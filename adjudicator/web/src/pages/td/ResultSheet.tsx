/** The result: what the boards show, what is entered, who has signed it. */
import '../../style/evidence.css';
import { useState } from 'preact/hooks';
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
const DRAWS: ReadonlySet<string> = new Set([
  'agreement', 'both-flags', 'stalemate', 'material', 'dead-position', 'repetition', 'fifty-moves', 'drawn-ending', 'directors-draw', 'losing-chances',
]);

export function ResultSheet({ match, decide, me }: Deciding & { readonly me: Me }) {
  const { result, proposal } = match;
  const [reason, setReason] = useState<string | null>(null);
  const chosen = reason ?? proposal?.reason ?? 'mate';
  const enter = (winner: 'team-1' | 'team-2' | null, words: string) => decide({ what: 'enter-result', winner, reason: chosen }, words);
  const isDraw = DRAWS.has(chosen);
  const final = (winner: string) => `record: ${winner}; the match is over`;
  return (
    <section class="result-sheet" data-testid="result-sheet">
      <h2>Result</h2>
      {proposal !== null && <p>The boards show: {proposal.text}{proposal.rule !== null && <span class="td-soft"> {proposal.rule}</span>}</p>}
      {result !== null && (
        <p>
          <strong>Entered: {result.text}.</strong> {result.is_final ? 'Final.' : ''} Signed: {teamWords(match, 'team-1')} {result.signed[0] ? '✓' : '–'},{' '}
          {teamWords(match, 'team-2')} {result.signed[1] ? '✓' : '–'}
          {result.is_confirmed && ', confirmed by a director'}
        </p>
      )}
      {(result === null ? proposal !== null : !result.is_final) && <FinalPosition match={match} />}
      <label>
        How
        <select value={chosen} onChange={(event) => setReason(event.currentTarget.value)}>
          {REASONS.map((one) => (
            <option key={one} value={one}>{one.replaceAll('-', ' ')}</option>
          ))}
        </select>
      </label>
      {me.rank !== 'scorekeeper' && (
        <div class="decisions">
          {!isDraw && <Sure label={`${teamWords(match, 'team-1')} wins`} says={final('1-0')} act={() => enter('team-1', `result 1-0, ${chosen}`)} />}
          {!isDraw && <Sure label={`${teamWords(match, 'team-2')} wins`} says={final('0-1')} act={() => enter('team-2', `result 0-1, ${chosen}`)} />}
          {isDraw && <Sure label="Draw" says={final('½-½')} act={() => enter(null, `draw, ${chosen}`)} />}
          {chosen === 'forfeit' && <Sure label="Both lose" says={final('0-0')} act={() => enter(null, 'both lose by forfeit')} />}
        </div>
      )}
      {result !== null && !result.is_final && (
        <div class="decisions">
          {(['team-1', 'team-2'] as const).map((team, index) => (
            <Sure key={team} disabled={result.signed[index] === true} label={`${teamWords(match, team)} signs`} says={result.text} act={() => decide({ what: 'confirm' }, `signed by ${team}`, team)} />
          ))}
          {me.rank !== 'scorekeeper' && <Sure label="Confirm" says={`${result.text}; the match is over`} act={() => decide({ what: 'confirm' }, 'result confirmed')} />}
        </div>
      )}
      {result === null && proposal !== null && me.rank === 'scorekeeper' && (
        <div class="decisions">
          {(['team-1', 'team-2'] as const).map((team) => (
            <Sure key={team} label={`${teamWords(match, team)} enters it`} says={proposal.text} act={() => decide({ what: 'enter-result', winner: proposal.winner, reason: proposal.reason }, `entered by ${team}`, team)} />
          ))}
        </div>
      )}
    </section>
  );
}

/** What the boards and clocks show at the end: whoever signs looks at it. */
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
              {now.clock !== null && `: White ${timeWords(now.clock.white_ms)}, Black ${timeWords(now.clock.black_ms)}`}
            </figcaption>
          </figure>
        );
      })}
    </div>
  );
}
