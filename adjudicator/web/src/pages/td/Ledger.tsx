/** Decisions in a match, line by line: nothing is deleted, and a line that no longer counts is marked. */
import { langOf, language, t, tx } from '../../language/td';
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
      <summary>{tx('Ledger ({n})', { n: match.ledger.length })}</summary>
      <ol class="ledger" data-testid="ledger">
        {match.ledger.map((line) => {
          const later = after.get(line.act);
          return (
            <li key={line.number} class={later === undefined ? '' : 'superseded'}>
              <span>
                {line.number}. <span lang={langOf(line.text)}>{line.text}</span>
                {line.note !== null && ` (${line.note})`}
              </span>
              <span class="td-soft">
                {new Date(line.at_ms).toLocaleTimeString(language)} · {line.person}, {roleWords(line.role)}
                {line.rules.length > 0 && ` · ${line.rules.join(', ')}`}
              </span>
              {later !== undefined && <em>{tx('{superseded}: line {number}', { superseded: supersededWords(later), number: later.number })}</em>}
              {later === undefined && canBeTakenBack(line) && isTheirs(line) && (
                <Sure label={t('Take back')} says={t('line {number} counts no more', { number: line.number })} act={() => decide({ what: 'withdraw', act: line.act }, t('taken back: {text}', { text: line.text }))} />
              )}
            </li>
          );
        })}
      </ol>
    </details>
  );
}

/** A decision on an appeal is final, and a withdrawn act is made again. */
function canBeTakenBack({ kind }: LedgerLine): boolean {
  return kind !== 'withdrawn' && kind !== 'decided';
}
