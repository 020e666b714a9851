/** Announcements, and the beginning and end of a round, at the top of every public page. */
import '../style/notices.css';
import { useEffect, useState } from 'preact/hooks';
import { fetchSnapshot } from '../live/api';
import { onTick } from '../live/ticker';
import { served } from '../language/language';
import { type Notices as Told, notices, roundWords } from '../model/notices';

const AGAIN_MS = 10_000;

/** The server's notices, and the lead of its clock over this device's. */
export interface Noticed {
  readonly told: Told;
  readonly ahead_ms: number;
}

export function useNotices(): Noticed | null {
  const [found, setFound] = useState<Noticed | null>(null);
  useEffect(() => {
    let isOver = false;
    const look = () =>
      void fetchSnapshot('/api/v1/notices', notices).then(
        (told) => !isOver && setFound({ told, ahead_ms: told.now_ms - Date.now() }),
        () => undefined,
      );
    look();
    const timer = window.setInterval(look, AGAIN_MS);
    return () => {
      isOver = true;
      window.clearInterval(timer);
    };
  }, []);
  return found;
}

/** This device's time, again each second. */
export function useNow(): number {
  const [now_ms, setNow] = useState(Date.now());
  useEffect(() => onTick(() => setNow((old) => (Date.now() - old >= 1000 ? Date.now() : old))), []);
  return now_ms;
}

export function Notices({ section = '' }: { readonly section?: string }) {
  const found = useNotices();
  const now_ms = useNow();
  if (found === null) return null;
  const isWanted = (of: string | null) => section === '' || of === null || of === section;
  const texts = found.told.announcements.filter((one) => isWanted(one.section));
  const rounds = found.told.rounds.filter((one) => isWanted(one.section)).map((one) => roundWords(one, now_ms + found.ahead_ms));
  const said = rounds.filter((words) => words !== '');
  if (texts.length + said.length === 0) return null;
  return (
    <aside class="notices" data-testid="notices">
      <div role="status">
        {texts.map(({ text, section: of }) => (
          <p key={text} class="announcement">
            <strong>{of === null ? served(text) : `${of}: ${text}`}</strong>
          </p>
        ))}
      </div>
      <ul>
        {said.map((words) => (
          <li key={words} class="round-times">{words}</li>
        ))}
      </ul>
    </aside>
  );
}
