/** The round that comes next, or is on: who meets whom at which table. */
import type { EventSheet, PairingSheet } from '../td/wire';

export interface NextRound {
  readonly section: string;
  readonly round: number;
  readonly pairings: readonly PairingSheet[];
}

/**
 * The next round of a section, or of each: the earliest with a pairing that has not been played to its end. A section of which everything
 * has been played has none.
 */
export function nextRounds(event: EventSheet, section: string | null): readonly NextRound[] {
  const wanted = event.sections.filter((one) => section === null || one.section === section);
  return wanted.flatMap((one) => {
    const open = one.pairings.filter(({ result, running }) => result === null && !running);
    if (open.length === 0) return [];
    const round = Math.min(...open.map((pairing) => pairing.round));
    const pairings = one.pairings.filter((pairing) => pairing.round === round);
    return [{ section: one.section, round, pairings: [...pairings].sort(byTable) }];
  });
}

const byTable = (a: PairingSheet, b: PairingSheet): number => a.table.localeCompare(b.table, 'en', { numeric: true });
