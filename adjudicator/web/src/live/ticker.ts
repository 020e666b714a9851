/** One timer for all clocks of a page; it rests while the page is hidden. */

const TICK_MS = 100;
const listeners = new Set<() => void>();
let timer: number | undefined;

/** Calls `tick` ten times a second until the returned function is called. */
export function onTick(tick: () => void): () => void {
  listeners.add(tick);
  wind();
  return () => {
    listeners.delete(tick);
    wind();
  };
}

function wind(): void {
  const wanted = listeners.size > 0 && document.visibilityState === 'visible';
  if (wanted && timer === undefined) timer = window.setInterval(() => listeners.forEach((tick) => tick()), TICK_MS);
  if (!wanted && timer !== undefined) {
    window.clearInterval(timer);
    timer = undefined;
  }
}

document.addEventListener('visibilitychange', wind);
