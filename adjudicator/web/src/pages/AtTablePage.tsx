/** A table, for those who sit there: each side reports the result with three touches, and anybody calls a director. */
import '../style/at-table.css';
import { useEffect, useState } from 'preact/hooks';
import { useNow } from '../components/Notices';
import { act, useLinked } from '../live/linked';
import { type AtTable, type AtTablePairing, type Ended, SIDES, type Side, atTable, endedWords, standWords } from '../model/attable';
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
  document.title = of === null ? 'Table' : of.label;
  return (
    <div class="at-table">
      <header class="bar">
        <h1>{of?.label ?? 'Table'}</h1>
        <span class="spread" />
        <span>{of?.event}</span>
      </header>
      <p class={note === '' && refusal === '' && !isWaiting ? 'unseen' : 'note'} role="status" data-testid="outcome">
        {isWaiting ? 'Being sent…' : refusal !== '' ? `Not done: ${refusal}` : note}
      </p>
      {of !== null && (
        <main>
          <Reports of={of} send={send} isWaiting={isWaiting} />
          <Call of={of} now_ms={now_ms} send={send} />
        </main>
      )}
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
      {of.pairings.length === 0 && <p class="note">No pairing at this table yet. It appears here by itself.</p>}
      {of.pairings.map((one) => (
        <div key={one.pairing} class="at-pairing" data-pairing={one.pairing}>
          <h2>
            {one.section}, round {one.round}
          </h2>
          <p data-testid="stands">{standWords(one)}</p>
          {SIDES.map((side, index) => (
            <button key={side} class="touch" disabled={isWaiting} onClick={() => choose({ pairing: one.pairing, side })}>
              We are {one.sides[index]}
              <small>{one.reports[index] === null ? 'report the result' : `reported ${one.reports[index]}; change it`}</small>
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
      <h2>{us} reports</h2>
      {games.length > 0 && (
        <button class="touch strong" onClick={() => done(games)}>
          Confirm: {endedWords(pairing, games)}
          <small>the other side and a director compare it</small>
        </button>
      )}
      {games.length < pairing.games && (
        <>
          <p>{pairing.games === 1 ? 'Who won?' : `Game ${games.length + 1}: who won?`}</p>
          <button class="touch" onClick={() => add('first')}>{sides[0]} won</button>
          <button class="touch" onClick={() => add('second')}>{sides[1]} won</button>
          <button class="touch" onClick={() => add('draw')}>Draw</button>
        </>
      )}
      <button class="touch quiet" onClick={() => done(null)}>Back, report nothing</button>
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
          {isAsked ? 'Call a director? Touch once more' : 'Call a director'}
          <small>stop both clocks first</small>
        </button>
      ) : (
        <>
          <p role="status">
            <strong>{of.call.is_assigned ? 'A director is on the way' : 'A director is called'}</strong>, {ago(of.call.since_ms, now_ms)}
          </p>
          <button class="touch quiet" onClick={() => deliver({ of: 'call-ended' })}>A director is not needed any more</button>
        </>
      )}
    </section>
  );
}
