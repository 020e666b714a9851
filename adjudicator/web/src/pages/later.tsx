/** A page whose script is fetched when it is opened. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../language/language';

export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return function Later(props: P) {
    const [Page, setPage] = useState<ComponentType<P> | null>(null);
    const [note, setNote] = useState(t('Opening…'));
    useEffect(() => {
      load().then(
        (found) => setPage(() => found),
        () => setNote(t('The page could not be fetched: is there a network? Load it again.')),
      );
    }, []);
    return Page === null ? <p class="note" role="status">{note}</p> : <Page {...props} />;
  };
}
