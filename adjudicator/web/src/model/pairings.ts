/** Pairings for readers who look for a name: by name or team, and by table. */
import { coded, t } from '../language/language';
import type { EventSheet, PairingSheet, SectionSheet } from './td/wire';

/** One line of the list: a name, its place and its opponent. */
export interface Place {
  readonly name: string;
  readonly table: string;
  readonly against: string;
}

/** A section's round in words. */
export interface RoundList {
  readonly section: string;
  readonly round: number;
  readonly byTable: readonly PairingSheet[];
  readonly byName: readonly Place[];
  readonly byes: readonly string[];
}

/** The round that was opened last of each section that has one, or of one section. */
export function roundLists(event: EventSheet, section: string): readonly RoundList[] {
  const wanted = event.sections.filter((one) => one.opened > 0 && (section === '' || one.section === section));
  return wanted.map((one) => roundList(one, one.opened));
}

export function roundList(section: SectionSheet, round: number): RoundList {
  const pairings = section.pairings.filter((one) => one.round === round);
  const entrant = (number: number) => section.entrants.find((one) => one.number === number);
  const places = pairings.flatMap((pairing) =>
    pairing.sides.flatMap((numbers, side) => {
      const against = pairing.names[side === 0 ? 1 : 0] ?? '';
      return numbers.flatMap((number) => {
        const found = entrant(number);
        const team = found?.name ?? t('No. {number}', { number });
        // A child looks for its own name, where names are shown.
        const children = (found?.players ?? []).filter(({ name }) => name !== team).map(({ name }) => `${name} (${team})`);
        return [team, ...children].map((name) => ({ name, table: pairing.table, against }));
      });
    }),
  );
  const byes = section.byes.filter((bye) => bye.round === round).map(({ number, bye }) => t('{name}: {bye} bye', { name: entrant(number)?.name ?? t('No. {number}', { number }), bye: coded(bye) }));
  return {
    section: section.section,
    round,
    byTable: [...pairings].sort((one, other) => natural(one.table, other.table)),
    byName: places.sort((one, other) => natural(one.name, other.name)),
    byes,
  };
}

const natural = (one: string, other: string) => one.localeCompare(other, undefined, { numeric: true, sensitivity: 'base' });
