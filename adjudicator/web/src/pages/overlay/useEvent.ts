/** Data of the event for a scene: fetched, and fetched again at each change. */
import { useEffect, useState } from 'preact/hooks';
import { fetchSnapshot } from '../../live/api';
import type { Decoder } from '../../model/decode';

const AGAIN_MS = 5_000;

/**
 * Answer of an address; null while it is not known. It is fetched again when `event_changes`, the round's count, is another, and when it
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

/** Index of the screenful shown. */
export function useTurns(pages: number): number {
  const [turned, setTurned] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => setTurned((old) => old + 1), TURN_EVERY_MS);
    return () => window.clearInterval(timer);
  }, []);
  return turned % Math.max(1, pages);
}
