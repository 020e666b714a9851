/** The zero test: before a match both clocks are pressed together some eight times, and the times of their nodes are compared. */
import { t, tx } from '../../language/td';
import { offsetWords } from '../../model/td/photofinish';
import type { DirectorMatch, ZeroTestResult } from '../../model/td/wire';
import { sensedBoards } from '../../model/wire';

const FINDINGS: Record<ZeroTestResult['finding'], readonly [finding: string, todo: string]> = {
  agree: [t('The clocks agree'), ''],
  differ: [
    t('The clocks differ'),
    t('Test again. If they still differ, look at the contacts and cables of both clocks. A photo finish counts the difference as an error.'),
  ],
  unclear: [t('Not clear'), t('The presses were too far apart. Press both clocks at the same moment, and test again.')],
};

const BEFORE_PLAY: ReadonlySet<string> = new Set(['set-up', 'ready']);

interface Testing {
  readonly match: DirectorMatch;
  /** Begins a test; null where this person may not. */
  readonly begin: (() => void) | null;
}

export function ZeroTest({ match, begin }: Testing) {
  const { table } = match.shown;
  const mayBegin = begin !== null && match.is_at_table && sensedBoards(table).length > 1 && BEFORE_PLAY.has(table.state) && !match.is_over;
  const order = match.orders.filter((one) => one.what === 'zero test of both clocks').at(-1);
  if (!mayBegin && match.zero_tests.length === 0) return null;
  const isRunning = order?.state === 'sent' || order?.state === 'taken';
  return (
    <section class="zero-test" data-testid="zero-test">
      <h2>{t('Zero test')}</h2>
      {match.zero_tests.map((test) => (
        <Result key={test.act} test={test} />
      ))}
      {mayBegin && (
        <>
          <p class="td-soft" role="status">
            {isRunning
              ? t('Now press both clocks at the same moment, eight times, from side to side. After the fourth time change hands. Then stop both clocks.')
              : t('Before play, both clocks are pressed together eight times: it shows whether their times agree. The presses begin no match.')}
          </p>
          <div class="decisions">
            <button disabled={isRunning} onClick={begin}>{match.zero_tests.length === 0 ? t('Begin the zero test') : t('Test again')}</button>
          </div>
        </>
      )}
    </section>
  );
}

function Result({ test }: { readonly test: ZeroTestResult }) {
  const [finding, todo] = FINDINGS[test.finding];
  return (
    <p data-finding={test.finding}>
      <strong>{finding}</strong>{' '}
      <span class="td-soft">
        {tx('Board B {offset}, {n} presses; the nodes state ±{stated}.', {
          offset: offsetWords(test),
          n: test.pairs,
          stated: t('{n} ms', { n: Math.round(test.stated_us / 1000) }),
        })}
      </span>{' '}
      {todo}
    </p>
  );
}
