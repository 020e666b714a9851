/** The replay of a match of this server, and the way to keep it as a file. */
import { useEffect, useState } from 'preact/hooks';
import { Language } from '../../components/Language';
import { t } from '../../language/language';
import { fetchSnapshot } from '../../live/api';
import { type Match, fromSnapshot } from '../../model/match';
import { labelOf } from '../../model/names';
import { matchSnapshot } from '../../model/wire';
import { Replay } from './Replay';

export function ReplayPage({ id }: { readonly id: string }) {
  const [match, setMatch] = useState<Match | null>(null);
  const [note, setNote] = useState(t('Loading the match…'));
  const path = `/api/v1/matches/${encodeURIComponent(id)}`;
  useEffect(() => {
    fetchSnapshot(path, matchSnapshot).then(
      (snapshot) => {
        document.title = t('{label}, replay', { label: labelOf(snapshot.table) });
        setMatch(fromSnapshot(id, snapshot));
      },
      (error: unknown) => setNote(error instanceof Error ? error.message : ''),
    );
  }, [path]);
  return (
    <>
      <header class="bar">
        <a class="button" href={`/match/${encodeURIComponent(id)}`}>{t('Match')}</a>
        <span class="spread" />
        <a class="button" href={`${path}.replay.html`} download={`${id}.replay.html`}>{t('Keep as a file')}</a>
        <Language />
      </header>
      {match === null ? (
        <main>
          <h1 class="unseen">{t('Replay')}</h1>
          <p class="note" role="status">{note}</p>
        </main>
      ) : (
        <Replay match={match} />
      )}
    </>
  );
}
