/** What a scene shows of the event: fetched, and fetched again when something of it changes. */
import { useEffect, useState } from 'preact/hooks';
import { fetchSnapshot } from '../../live/api';
import type { Decoder } from '../../model/decode';

const AGAIN_MS = 5_000;

/**
 * What an address answers; null while it is not known. It is asked again when `event_changes`, the round's count, is another, and when it
 * failed.
 */
export function useFetched<T>(path: string | null, decoder: Decoder<T>, event_changes: number): T | null {
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
  }, [path, count, event_changes]);
  return found;
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
