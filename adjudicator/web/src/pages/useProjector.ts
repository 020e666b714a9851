/**
 * Whether the overview is shown to a hall. `?projector=1` says so and `?projector=0` denies it;
 * without either, a large screen without a touch for half a minute since the page was
 * opened counts as one, until it is touched.
 */
import { useEffect, useState } from 'preact/hooks';

const UNTOUCHED_MS = 30_000;
const LARGE = '(min-width: 1600px) and (min-height: 850px)';
const TOUCHES = ['pointermove', 'pointerdown', 'keydown', 'wheel'] as const;

export function useProjector(): boolean {
  const wish = new URLSearchParams(window.location.search).get('projector');
  const [guessed, setGuessed] = useState(false);
  useEffect(() => {
    if (wish !== null || !window.matchMedia(LARGE).matches) return undefined;
    const timer = window.setTimeout(() => setGuessed(true), UNTOUCHED_MS);
    const touched = () => {
      window.clearTimeout(timer);
      setGuessed(false);
    };
    for (const name of TOUCHES) window.addEventListener(name, touched, { once: true, passive: true });
    return () => {
      window.clearTimeout(timer);
      for (const name of TOUCHES) window.removeEventListener(name, touched);
    };
  }, []);
  return wish === null ? guessed : wish !== '0';
}
