/** One child, for its family: where it sits, how it goes, what came of it, what is next. The link's secret stays behind the address's `#`. */
import '../style/notices.css';
import { useEffect, useState } from 'preact/hooks';
import { useNow } from '../components/Notices';
import { decodedAs } from '../live/api';
import { type Child, child, nowWords, resultWords, seatWords } from '../model/child';

const AGAIN_MS = 5_000;
const REQUEST_MAX_MS = 10_000;

export function ChildPage() {
  const [found, setFound] = useState<{ readonly of: Child; readonly ahead_ms: number } | null>(null);
  const [note, setNote] = useState('Opening…');
  const now_ms = useNow();
  useEffect(() => {
    let isOver = false;
    const look = async () => {
      const secret = window.location.hash.slice(1);
      const answer = await fetch('/api/v1/child', { headers: { 'x-twinboard-link': secret }, cache: 'no-store', signal: AbortSignal.timeout(REQUEST_MAX_MS) }).catch(() => null);
      if (isOver) return;
      if (answer === null) return setNote('There is no line to the hall just now.');
      if (answer.status === 404) {
        // Revoked: what was shown goes.
        setFound(null);
        return setNote('This link is not valid, or not any more. Ask the organiser for a new one.');
      }
      if (!answer.ok) return setNote(`The server answered ${answer.status}.`);
      const of = decodedAs(child, await answer.json().catch(() => null));
      if (of === null) return setNote('The server is of another release than this page: load it again.');
      setFound({ of, ahead_ms: of.now_ms - Date.now() });
      setNote('');
    };
    void look();
    const timer = window.setInterval(() => void look(), AGAIN_MS);
    return () => {
      isOver = true;
      window.clearInterval(timer);
    };
  }, []);
  const of = found?.of ?? null;
  const lines = of === null ? [] : nowWords(of, now_ms + (found?.ahead_ms ?? 0)).filter((line) => line !== '');
  const playing = of?.rounds.at(-1);
  useEffect(() => {
    document.title = lines[0] === undefined ? 'My child' : `${lines[0]} – ${of?.name ?? ''}`;
  }, [lines[0]]);
  return (
    <div class="child-page">
      <header class="bar">
        <h1>{of?.name ?? 'My child'}</h1>
        <span class="spread" />
        {playing?.state === 'playing' && playing.table !== null && <a class="button" href={`/table/${encodeURIComponent(playing.table)}`}>Watch</a>}
        <a class="button" href="/standings">Standings</a>
      </header>
      {note !== '' && <p class="note" role="status">{note}</p>}
      {of !== null && (
        <main>
          {of.announcements.map(({ text }) => (
            <p class="note" key={text}>{text}</p>
          ))}
          <section class="child-now" data-testid="child-now" role="status">
            {lines.map((line, index) => (index === 0 ? <strong key="first">{line}</strong> : <p key={line}>{line}</p>))}
          </section>
          <p>
            {[of.team, of.section, of.number === null ? null : `No. ${of.number}`].filter((one) => one !== null).join(' · ')}
            {of.points !== null && ` · ${of.points} ${of.points === 1 ? 'point' : 'points'}${of.is_provisional ? ', not all confirmed' : ''}`}
          </p>
          <ol class="child-rounds" data-testid="child-rounds">
            {of.rounds.map((round) => (
              <li key={round.round}>
                <span>
                  Round {round.round}: {seatWords(round)}
                  {round.against !== null && `, against ${round.against}`}
                </span>
                <strong>{resultWords(round)}</strong>
              </li>
            ))}
          </ol>
          <p class="print-never">
            <button onClick={() => window.print()}>Print or keep</button>
          </p>
        </main>
      )}
    </div>
  );
}
