/** The same for the directors' pages, whose texts come in a catalogue of their own: viewers do not load it. */
import { add, language } from './language';

export { coded, language, served, t, tx } from './language';

/** Loads the directors' texts. Their pages are evaluated after it, so that their constants may have texts. */
export async function loadDesk(): Promise<void> {
  try {
    if (language === 'es') add((await import('./es.td')).spanish);
  } catch {
    // As for the other texts: English, where the network is lost.
  }
}
