/** How much is read out to somebody who does not see the boards, kept on this device. */

export const ANNOUNCED = { every: 'every move', results: 'results only', none: 'nothing' } as const;
export type Announced = keyof typeof ANNOUNCED;

/** The choice in a text that was kept; everything, where none was. */
export function announcedOf(kept: string | null): Announced {
  return kept === 'results' || kept === 'none' ? kept : 'every';
}
