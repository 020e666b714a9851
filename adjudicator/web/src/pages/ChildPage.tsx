/** One child, for its family: where it sits, how it goes, what came of it, what is next. The link's secret stays behind the address's `#`. */
import '../style/notices.css';
import { useEffect, useState } from 'preact/hooks';
import { Language } from '../components/Language';
import { served, t, tx } from '../language/language';
import { useNow } from '../components/Notices';
import { useLinked } from '../live/linked';
import { child, nowWords, resultWords, seatWords } from '../model/child';
import { ChildMessages } from './ChildMessages';

const AGAIN_MS = 5_000;

export function ChildPage() {
  const [changes, setChanges] = useState(0);
  const { of, ahead_ms, note } = useLinked('/api/v1/child', child, AGAIN_MS, changes);
  const now_ms = useNow();
  const lines = of === null ? [] : nowWords(of, now_ms + ahead_ms).filter((line) => line !== '');
  const playing = of?.rounds.at(-1);
  useEffect(() => {
    document.title = lines[0] === undefined ? t('My child') : `${lines[0]} – ${of?.name ?? ''}`;
  }, [lines[0]]);
  return (
    <div class="child-page">
      <header class="bar">
        <h1>{of === null ? t('My child') : served(of.name)}</h1>
        <span class="spread" />
        {playing?.state === 'playing' && playing.table !== null && <a class="button" href={`/table/${encodeURIComponent(playing.table)}`}>{t('Watch')}</a>}
        <a class="button" href="/standings">{t('Standings')}</a>
        <Language />
      </header>
      {of === null && (
        <main>
          <p class={note === '' ? 'unseen' : 'note'} role="status">{note}</p>
        </main>
      )}
      {of !== null && note !== '' && <p class="note" role="status">{note}</p>}
      {of !== null && (
        <main>
          {of.announcements.map(({ text }) => (
            <p class="note" key={text}>{served(text)}</p>
          ))}
          <section class="child-now" data-testid="child-now" role="status">
            {lines.map((line, index) => (index === 0 ? <strong key="first">{line}</strong> : <p key={line}>{line}</p>))}
          </section>
          <p>
            {[of.team, of.section, of.number === null ? null : t('No. {number}', { number: of.number })].filter((one) => one !== null).join(' · ')}
            {of.points !== null && ` · ${t('{points} {points|one:point|other:points}', { points: of.points })}${of.is_provisional ? t(', not all confirmed') : ''}`}
          </p>
          <ol class="child-rounds" data-testid="child-rounds">
            {of.rounds.map((round) => (
              <li key={round.round}>
                <span>
                  {tx('Round {round}: {seat}{against}', { round: round.round, seat: seatWords(round), against: round.against !== null && t(', against {against}', { against: round.against }) })}
                </span>
                <strong>{resultWords(round)}</strong>
              </li>
            ))}
          </ol>
          {of.messages !== null && <ChildMessages messages={of.messages} changed={() => setChanges((count) => count + 1)} />}
          <p class="print-never">
            <button onClick={() => window.print()}>{t('Print or keep')}</button>
          </p>
        </main>
      )}
    </div>
  );
}
