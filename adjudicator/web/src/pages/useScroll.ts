/** A screen without hands moves down by itself, and begins again. */
import { useEffect } from 'preact/hooks';

const SCREEN_STEP_MS = 60;

export function useScroll(isWanted: boolean) {
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = window.setInterval(() => {
      const { scrollingElement: page } = document;
      if (page === null) return;
      const isEnd = page.scrollTop + window.innerHeight >= page.scrollHeight - 1;
      page.scrollTop = isEnd ? 0 : page.scrollTop + 1;
    }, SCREEN_STEP_MS);
    return () => window.clearInterval(timer);
  }, [isWanted]);
}
