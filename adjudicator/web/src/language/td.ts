/** The same for the directors' pages, whose texts come in a catalogue of their own: viewers do not load it. */
import { add, language } from './language';

export { coded, langOf, language, served, t, tx } from './language';

/** Loads the directors' texts. Their pages are evaluated after it, so that their constants may have texts. */
export async function loadDesk(): Promise<void> {
  try {
    if (language !== 'es') return;
    const { spanish, served } = await import('./es.td');
    add(spanish);
    add(served);
  } catch {
    // As for the other texts: English, where the network is lost.
  }
}
