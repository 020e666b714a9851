/** Detail of the speech for readers who do not see the boards, kept on this device. */
import { once, t } from '../language/language';

/** The choices in words. */
export const announcedWords = once(() => ({ every: t('every move'), results: t('results only'), none: t('nothing') }) as const);
export type Announced = keyof ReturnType<typeof announcedWords>;

/** The choice in a text that was kept; everything, where none was. */
export function announcedOf(kept: string | null): Announced {
  return kept === 'results' || kept === 'none' ? kept : 'every';
}
