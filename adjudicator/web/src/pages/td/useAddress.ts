/**
 * The address among the directors' pages. A link from one of them to another is followed without loading anything: that works without a
 * network, and the acts that wait to be sent go on.
 */
import { useEffect, useState } from 'preact/hooks';

const PAGES = /^\/td(\/|$)/;

const now = (): string => window.location.pathname + window.location.search;

/** The link that a click is to follow here, if it is to one of these pages and to be opened in place. */
function linkOf(event: MouseEvent): HTMLAnchorElement | null {
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!isPlain || event.defaultPrevented || link === null || link.target !== '' || link.hasAttribute('download')) return null;
  return link.origin === window.location.origin && PAGES.test(link.pathname) ? link : null;
}

export function useAddress(): string {
  const [address, setAddress] = useState(now);
  useEffect(() => {
    const follow = (event: MouseEvent): void => {
      const link = linkOf(event);
      if (link === null) return;
      event.preventDefault();
      window.history.pushState(null, '', link.href);
      setAddress(now());
      window.scrollTo(0, 0);
    };
    const back = (): void => setAddress(now());
    document.addEventListener('click', follow);
    window.addEventListener('popstate', back);
    return () => {
      document.removeEventListener('click', follow);
      window.removeEventListener('popstate', back);
    };
  }, []);
  return address;
}
