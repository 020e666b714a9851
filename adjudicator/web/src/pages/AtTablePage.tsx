/** A table, for those who sit there: each side reports the result with three touches, and anybody calls a director. */
import '../style/at-table.css';
import { useEffect, useState } from 'preact/hooks';
import { Language } from '../components/Language';
import { t, tx } from '../language/language';
import { useNow } from '../components/Notices';
import { act, useLinked } from '../live/linked';
import { type AtTable, type AtTablePairing, type Ended, SIDES, type Side, atTable, endedWords, standWords } from '../model/attable';
import { labelWords } from '../model/names';
import { ago } from '../model/td/needs';

const PATH = '/api/v1/at-table';
const LOOK_EVERY_MS = 3_000;
const SEND_EVERY_MS = 2_000;

/** A deed without an answer so far. */
interface Waiting {
  readonly key: string;
  readonly deed: unknown;
}

/** Sends one thing until it is answered, also over a lost network. */
function useSender(answered: (refusal: string | null) => void): { readonly send: (deed: unknown) => void; readonly isWaiting: boolean } {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  useEffect(() => {
    if (waiting === null) return undefined;
    let timer: number | undefined;
    let isOver = false;
    const attempt = async () => {
      const refusal = await act(PATH, waiting.key, waiting.deed);
      if (isOver) return;
      if (refusal === undefined) timer = window.setTimeout(() => void attempt(), SEND_EVERY_MS);
      else {
        setWaiting(null);
        answered(refusal);
      }
    };
    void attempt();
    return () => {
      isOver = true;
      window.clearTimeout(timer);
    };
  }, [waiting]);
  // Over plain HTTP there is no randomUUID.
  const send = (deed: unknown) => setWaiting({ key: `${Date.now()}-${Math.random().toString(36).slice(2)}`, deed });
  return { send, isWaiting: waiting !== null };
}

export function AtTablePage() {
  const [count, setCount] = useState(0);
  const [refusal, setRefusal] = useState('');
  const { of, ahead_ms, note } = useLinked(PATH, atTable, LOOK_EVERY_MS, count);
  const { send, isWaiting } = useSender((refused) => {
    setRefusal(refused ?? '');
    setCount((old) => old + 1);
  });
  const now_ms = useNow() + ahead_ms;
  document.title = of === null ? t('Table') : labelWords(of.label);
  return (
    <div class="at-table">
      <header class="bar">
        <h1>{of === null ? t('Table') : labelWords(of.label)}</h1>
        <span class="spread" />
        <span>{of?.event}</span>
        <Language />
      </header>
      <main>
        <p class={note === '' && refusal === '' && !isWaiting ? 'unseen' : 'note'} role="status" data-testid="outcome">
          {isWaiting ? t('Being sent…') : refusal !== '' ? t('Not done: {refusal}', { refusal }) : note}
        </p>
        {of !== null && <Reports of={of} send={send} isWaiting={isWaiting} />}
        {of !== null && <Call of={of} now_ms={now_ms} send={send} />}
      </main>
    </div>
  );
}

interface ReportsProps {
  readonly of: AtTable;
  readonly send: (deed: unknown) => void;
  readonly isWaiting: boolean;
}

/** The rows of who may report; once one is touched, who won, and then to confirm it. */
function Reports({ of, send, isWaiting }: ReportsProps) {
  const [chosen, choose] = useState<{ readonly pairing: number; readonly side: Side } | null>(null);
  const pairing = of.pairings.find((one) => one.pairing === chosen?.pairing);
  if (chosen !== null && pairing !== undefined) {
    const done = (games: readonly Ended[] | null) => {
      if (games !== null) send({ of: 'report', ...chosen, games });
      choose(null);
    };
    return <Report pairing={pairing} side={chosen.side} done={done} />;
  }
  return (
    <section data-testid="pairings">
      {of.pairings.length === 0 && <p class="note">{t('No pairing at this table yet. It appears here by itself.')}</p>}
      {of.pairings.map((one) => (
        <div key={one.pairing} class="at-pairing" data-pairing={one.pairing}>
          <h2>
            {tx('{section}, round {round}', { section: one.section, round: one.round })}
          </h2>
          <p data-testid="stands">{standWords(one)}</p>
          {SIDES.map((side, index) => (
            <button key={side} class="touch" disabled={isWaiting} onClick={() => choose({ pairing: one.pairing, side })}>
              {tx('We are {us}{small}', { us: one.sides[index] ?? '', small: <small>{one.reports[index] === null ? t('report the result') : t('reported {report}; change it', { report: one.reports[index] ?? '' })}</small> })}
            </button>
          ))}
        </div>
      ))}
    </section>
  );
}

/** The winner of each game, then the last touch. */
function Report({ pairing, side, done }: { readonly pairing: AtTablePairing; readonly side: Side; readonly done: (games: readonly Ended[] | null) => void }) {
  const [games, setGames] = useState<readonly Ended[]>([]);
  const { sides } = pairing;
  const us = sides[side === 'first' ? 0 : 1];
  const add = (ended: Ended) => setGames([...games, ended]);
  return (
    <section data-testid="report">
      <h2>{tx('{us} reports', { us })}</h2>
      {games.length > 0 && (
        <button class="touch strong" onClick={() => done(games)}>
          {tx('Confirm: {ended}{small}', { ended: endedWords(pairing, games), small: <small>{t('the other side and a director compare it')}</small> })}
        </button>
      )}
      {games.length < pairing.games && (
        <>
          <p>{pairing.games === 1 ? t('Who won?') : t('Game {n}: who won?', { n: games.length + 1 })}</p>
          <button class="touch" onClick={() => add('first')}>{tx('{winner} won', { winner: sides[0] })}</button>
          <button class="touch" onClick={() => add('second')}>{tx('{winner} won', { winner: sides[1] })}</button>
          <button class="touch" onClick={() => add('draw')}>{t('Draw')}</button>
        </>
      )}
      <button class="touch quiet" onClick={() => done(null)}>{t('Back, report nothing')}</button>
    </section>
  );
}

function Call({ of, now_ms, send }: { readonly of: AtTable; readonly now_ms: number; readonly send: (deed: unknown) => void }) {
  const [isAsked, setAsked] = useState(false);
  const deliver = (deed: unknown) => {
    setAsked(false);
    send(deed);
  };
  return (
    <section class="at-call" data-testid="call">
      {of.call === null ? (
        <button class={`touch${isAsked ? ' strong' : ''}`} aria-pressed={isAsked} onClick={() => (isAsked ? deliver({ of: 'call' }) : setAsked(true))}>
          {isAsked ? t('Call a director? Touch once more') : t('Call a director')}
          <small>{t('stop both clocks first')}</small>
        </button>
      ) : (
        <>
          <p role="status">
            <strong>{of.call.is_assigned ? t('A director is on the way') : t('A director is called')}</strong>, {ago(of.call.since_ms, now_ms)}
          </p>
          <button class="touch quiet" onClick={() => deliver({ of: 'call-ended' })}>{t('A director is not needed any more')}</button>
        </>
      )}
    </section>
  );
}
