/** What a scene shows of the event: fetched, and fetched again when something of it changes. */
import { useEffect, useState } from 'preact/hooks';
import { fetchSnapshot } from '../../live/api';
import type { Decoder } from '../../model/decode';
import { useSharedRound } from '../usePicture';

const AGAIN_MS = 5_000;

/** `path` is called for the address, null while it is not known. What failed is tried again. */
export function useFetched<T>(path: string | null, decoder: Decoder<T>): { readonly found: T | null; readonly live: string } {
  const { picture } = useSharedRound();
  const [found, setFound] = useState<T | null>(null);
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (path === null) return undefined;
    let timer: number | undefined;
    let isOver = false;
    fetchSnapshot(path, decoder).then(
      (answer) => !isOver && setFound(answer),
      () => (timer = window.setTimeout(() => setCount((old) => old + 1), AGAIN_MS)),
    );
    return () => {
      isOver = true;
      window.clearTimeout(timer);
    };
  }, [path, count, picture.event_changes]);
  return { found, live: String(picture.line.kind === 'live') };
}

const TURN_EVERY_MS = 10_000;

/** Which of several screenfuls is shown. */
export function useTurns(pages: number): number {
  const [turned, setTurned] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => setTurned((old) => old + 1), TURN_EVERY_MS);
    return () => window.clearInterval(timer);
  }, []);
  return turned % Math.max(1, pages);
}
