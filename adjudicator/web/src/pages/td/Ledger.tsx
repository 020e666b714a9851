/** What was decided in a match, line by line: nothing is deleted, and a line that does not count any more says so. */
import { roleWords } from '../../model/td/appeals';
import { laterLines, supersededWords } from '../../model/td/ledger';
import type { LedgerLine, Me } from '../../model/td/wire';
import { Sure } from './Sure';
import type { Deciding } from './TablePage';

export function Ledger({ match, decide, me }: Deciding & { readonly me: Me }) {
  // A scorekeeper takes back what they entered themselves.
  const isTheirs = (line: LedgerLine) => me.rank !== 'scorekeeper' || (line.person === me.person && line.kind === 'result');
  const after = laterLines(match.ledger);
  return (
    <details open={match.ledger.length > 0}>
      <summary>Ledger ({match.ledger.length})</summary>
      <ol class="ledger" data-testid="ledger">
        {match.ledger.map((line) => {
          const later = after.get(line.act);
          return (
            <li key={line.number} class={later === undefined ? '' : 'superseded'}>
              <span>
                {line.number}. {line.text}
                {line.note !== null && ` (${line.note})`}
              </span>
              <span class="td-soft">
                {new Date(line.at_ms).toLocaleTimeString()} · {line.person}, {roleWords(line.role)}
                {line.rules.length > 0 && ` · ${line.rules.join(', ')}`}
              </span>
              {later !== undefined && <em>{supersededWords(later)}: line {later.number}</em>}
              {later === undefined && canBeTakenBack(line) && isTheirs(line) && (
                <Sure label="Take back" says={`line ${line.number} counts no more`} act={() => decide({ what: 'withdraw', act: line.act }, `taken back: ${line.text}`)} />
              )}
            </li>
          );
        })}
      </ol>
    </details>
  );
}

/** What was decided on an appeal is final, and what was taken back is done anew. */
function canBeTakenBack({ kind }: LedgerLine): boolean {
  return kind !== 'withdrawn' && kind !== 'decided';
}
