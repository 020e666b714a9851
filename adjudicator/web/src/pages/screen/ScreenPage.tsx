/** A screen of the hall: a number until the desk gives it something, and then that. It recovers by itself from a restart or a lost network. */
import '../../style/screen.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../language/language';
import { decodedAs } from '../../live/api';
import { type Screen, framePath, screen } from '../../model/screen';
import { Announcer } from './Announcer';
import { Countdown } from './Countdown';

const ASK_EVERY_MS = 2_000;
const REQUEST_MAX_MS = 5_000;
/** Silence after which the frame is loaded again with the next answer: its own page may have failed to load. */
const LOST_AFTER_MS = 10_000;
const KEY = 'twinboard.screen.key';

/** Key that identifies this browser, also after a restart. Over plain HTTP there is no randomUUID. */
function ownKey(): string {
  const kept = localStorage.getItem(KEY);
  if (kept !== null) return kept;
  const made = [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  localStorage.setItem(KEY, made);
  return made;
}

export function ScreenPage() {
  const [of, setOf] = useState<Screen | null>(null);
  const [isLost, setLost] = useState(false);
  const [note, setNote] = useState(t('Opening…'));
  const [loads, setLoads] = useState(0);
  const heard = useRef(Date.now());
  const reloads = useRef<number | null>(null);
  useEffect(() => {
    let isOver = false;
    const ask = async () => {
      const answer = await fetch('/api/v1/screen', { headers: { 'x-twinboard-screen': ownKey() }, cache: 'no-store', signal: AbortSignal.timeout(REQUEST_MAX_MS) }).catch(() => null);
      if (isOver) return;
      const isOld = Date.now() - heard.current > LOST_AFTER_MS;
      if (answer === null) return setLost(isOld);
      const body: unknown = await answer.json().catch(() => null);
      if (!answer.ok) return setNote(String((body as { readonly error?: string } | null)?.error ?? t('The server answered {status}.', { status: answer.status })));
      const found = decodedAs(screen, body);
      // A network that wants to be logged in to answers in the server's place.
      if (body === null) return setLost(isOld);
      // Another release: the page is loaded with it.
      if (found === null) return window.location.reload();
      if (reloads.current !== null && found.reloads > reloads.current) return window.location.reload();
      reloads.current = found.reloads;
      if (isOld) setLoads((old) => old + 1);
      heard.current = Date.now();
      setLost(false);
      setNote('');
      setOf(found);
    };
    void ask();
    const timer = window.setInterval(() => void ask(), ASK_EVERY_MS);
    return () => {
      isOver = true;
      window.clearInterval(timer);
    };
  }, []);
  document.title = of === null ? t('Screen') : t('Screen {screen}', { screen: of.screen });
  const mark = isLost && <p class="screen-lost" role="status">{t('▲ No line to the server')}</p>;
  if (of === null || of.shows === null) {
    return (
      <main class="screen-number" data-testid="screen">
        <h1>{of === null ? t('Screen') : t('Screen {screen}', { screen: of.screen })}</h1>
        <p>{of === null ? note : t('Give it something to show: Screens, on the directors’ pages.')}</p>
        {mark}
      </main>
    );
  }
  const { shows, name } = of;
  const path = framePath(shows);
  return (
    <div class="screen-shows" data-testid="screen" data-screen={of.screen} data-show={shows.show}>
      {path !== null && <iframe key={`${path} ${loads}`} src={path} title={name === '' ? t('Screen {screen}', { screen: of.screen }) : name} />}
      {shows.show === 'countdown' && <Countdown section={shows.section} />}
      {shows.show === 'announcer' && <Announcer section={shows.section} />}
      {mark}
    </div>
  );
}
