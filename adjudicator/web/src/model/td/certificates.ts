/** Certificates by place and section. */
import type { EventSheet, StandingsSheet } from './wire';

export interface Certificate {
  readonly section: string;
  readonly name: string;
  readonly team: string;
  /** `1st place`, `2nd place, shared`. */
  readonly place: string;
  readonly points: string;
}

/** `1st`, `2nd`, `3rd`, `11th`, `23rd`. */
export function ordinal(number: number): string {
  const teens = number % 100 > 10 && number % 100 < 14;
  return `${number}${(teens ? '' : ['', 'st', 'nd', 'rd'][number % 10]) || 'th'}`;
}

/** A certificate for each player of the first places of a section; an entrant without points has none. */
export function certificates(event: EventSheet, { section, standings }: StandingsSheet, places: number): readonly Certificate[] {
  const entrants = event.sections.find((one) => one.section === section)?.entrants ?? [];
  const honoured = standings.rows.filter(({ rank, score }) => rank <= places && score > 0);
  return honoured.flatMap((row) => {
    const players = entrants.find(({ number }) => number === row.number)?.players.map(({ name }) => name) ?? [];
    const isShared = standings.rows.some((other) => other.rank === row.rank && other.number !== row.number);
    const of = { section, place: `${ordinal(row.rank)} place${isShared ? ', shared' : ''}`, points: `${row.score} ${row.score === 1 ? 'point' : 'points'}` };
    if (players.length === 0) return [{ ...of, name: row.name, team: '' }];
    return players.map((name) => ({ ...of, name, team: players.length > 1 ? row.name : '' }));
  });
}
