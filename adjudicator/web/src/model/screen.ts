/** Content of a screen of the hall, as the desk gives it. */
import { once, t } from '../language/language';
import type { Shows } from './hall-api';

export { type Screen, type ScreenLine as Listed, type Shows, screen, screenList as screens } from './hall-api';

export const SHOWS = ['overview', 'pairings', 'standings', 'table', 'countdown', 'announcer'] as const satisfies readonly Shows['show'][];

export const showWords = once((): Readonly<Record<Shows['show'], string>> => ({
  overview: t('All tables'),
  pairings: t('Pairings'),
  standings: t('Standings'),
  table: t('One table'),
  countdown: t('Countdown of the round'),
  announcer: t('Facts to read aloud'),
}));

/** Content in words. */
export function showsWords(shows: Shows | null): string {
  if (shows === null) return t('nothing yet');
  const of = shows.show === 'table' ? (shows.table ?? '') : (shows.section ?? '');
  return of === '' ? showWords()[shows.show] : `${showWords()[shows.show]}: ${of}`;
}

/** Content as an act has it. */
export function showsDeed({ show, section, table }: Shows): Record<string, string> {
  if (show === 'table') return { show, table: table ?? '' };
  return section === null || section === '' ? { show } : { show, section };
}

/** The page that a screen shows in a frame; null for a countdown and for facts, which it draws itself. */
export function framePath({ show, section, table }: Shows): string | null {
  const query = (first: string) => (section === null ? first : `${first}${first === '' ? '' : '&'}section=${encodeURIComponent(section)}`);
  switch (show) {
    case 'overview':
      return `/?${query('projector=1')}`;
    case 'pairings':
      return `/pairings?${query('screen=1')}`;
    case 'standings':
      return `/standings?${query('screen=1')}`;
    case 'table':
      return `/table/${encodeURIComponent(table ?? '')}`;
    default:
      return null;
  }
}
