/** What the book says, in our words. */
import type { Verdict } from '../../model/td/wire';

export function Clauses({ because }: Pick<Verdict, 'because'>) {
  if (because.length === 0) return null;
  return (
    <dl class="clauses">
      {because.map(({ rule, text }) => (
        <div key={rule}>
          <dt>{rule}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
