/** The choice of the language, in the bar of every page. It holds for all pages of this device. */
import { LANGUAGES, choose, language } from '../language/language';

export function Language() {
  return (
    <select class="language" aria-label="Language · Idioma · Sprache" data-testid="language" value={language} onChange={(event) => choose(event.currentTarget.value)}>
      {Object.entries(LANGUAGES).map(([tag, name]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  );
}
