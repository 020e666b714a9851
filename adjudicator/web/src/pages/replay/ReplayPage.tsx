/** The replay of a match of this server, and the way to keep it as a file. */
import { useEffect, useState } from 'preact/hooks';
import { fetchSnapshot } from '../../live/api';
import { type Match, fromSnapshot } from '../../model/match';
import { matchSnapshot } from '../../model/wire';
import { Replay } from './Replay';

export function ReplayPage({ id }: { readonly id: string }) {
  const [match, setMatch] = useState<Match | null>(null);
  const [note, setNote] = useState('Loading the match…');
  const path = `/api/v1/matches/${encodeURIComponent(id)}`;
  useEffect(() => {
    fetchSnapshot(path, matchSnapshot).then(
      (snapshot) => {
        document.title = `${snapshot.table.label}, replay`;
        setMatch(fromSnapshot(id, snapshot));
      },
      (error: unknown) => setNote(error instanceof Error ? error.message : ''),
    );
  }, [path]);
  return (
    <>
      <header class="bar">
        <a class="button" href={`/match/${encodeURIComponent(id)}`}>Match</a>
        <span class="spread" />
        <a class="button" href={`${path}.replay.html`} download={`${id}.replay.html`}>Keep as a file</a>
      </header>
      {match === null ? <p class="note" role="status">{note}</p> : <Replay match={match} />}
    </>
  );
}
