/** Rules of the book, in our words. */
import { langOf, served } from '../../language/td';
import type { Verdict } from '../../model/td/wire';

export function Clauses({ because }: Pick<Verdict, 'because'>) {
  if (because.length === 0) return null;
  return (
    <dl class="clauses">
      {because.map(({ rule, text }) => (
        <div key={rule}>
          <dt>{rule}</dt>
          <dd lang={langOf(text)}>{served(text)}</dd>
        </div>
      ))}
    </dl>
  );
}
