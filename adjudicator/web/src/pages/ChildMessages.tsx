/** Messages about a child's pairings: the family asks for them, and reads where they come. */
import { useState } from 'preact/hooks';
import { language, t, tx } from '../language/language';
import { act } from '../live/linked';
import type { Child } from '../model/child';

interface Asking {
  readonly messages: NonNullable<Child['messages']>;
  /** Reads the child's page again. */
  readonly changed: () => void;
}

export function ChildMessages({ messages: { address, is_on }, changed }: Asking) {
  const [note, setNote] = useState('');
  const [isWaiting, setWaiting] = useState(false);
  const ask = async (wanted: boolean) => {
    setWaiting(true);
    // Over plain HTTP there is no randomUUID.
    const key = `${Date.now()}-${Math.random().toString(36).slice(2)}`;
    const refusal = await act('/api/v1/child', key, { of: 'messages', language: wanted ? (language === 'es' ? 'es' : 'en') : null });
    setNote(refusal === null ? '' : (refusal ?? t('There is no line to the hall just now. Press again.')));
    setWaiting(false);
    changed();
  };
  return (
    <section class="child-messages print-never" data-testid="child-messages">
      <h2>{t('Messages')}</h2>
      <p>
        {is_on
          ? tx('Each new table comes as a message. To get it, open {address} on this phone, or subscribe to it in the app ntfy.', { address: <a key="address" href={address}>{address}</a> })
          : t('Your phone can announce each new table, in the app ntfy or in a browser. A message has round, table and seat, and no name.')}
      </p>
      {is_on && <p>{t('Keep the address to yourself: anyone who has it can read the messages.')}</p>}
      <button disabled={isWaiting} onClick={() => void ask(!is_on)}>{is_on ? t('No more messages') : t('Send me messages')}</button>
      {note !== '' && <p class="note" role="status">{note}</p>}
    </section>
  );
}
