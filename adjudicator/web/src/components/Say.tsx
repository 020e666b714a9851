/** The choice of how much is read out; the same for all pages of this device. */
import { useState } from 'preact/hooks';
import { t } from '../language/language';
import { type Announced, announcedOf, announcedWords } from '../model/announced';

const KEPT = 'twinboard.announced';

/** The chosen detail of the speech, and its setter. A document opened from a disk may have no storage. */
export function useAnnounced(): readonly [Announced, (chosen: Announced) => void] {
  const [announced, setAnnounced] = useState<Announced>(() => announcedOf(stored((storage) => storage.getItem(KEPT))));
  const choose = (chosen: Announced) => {
    setAnnounced(chosen);
    stored((storage) => {
      storage.setItem(KEPT, chosen);
      return null;
    });
  };
  return [announced, choose];
}

function stored(ask: (storage: Storage) => string | null): string | null {
  try {
    return ask(localStorage);
  } catch {
    return null;
  }
}

export function Say({ announced, choose }: { readonly announced: Announced; readonly choose: (chosen: Announced) => void }) {
  return (
    <label class="say">
      {t('Read out')}
      <select data-testid="say" value={announced} onChange={(event) => choose(announcedOf(event.currentTarget.value))}>
        {Object.entries(announcedWords()).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
