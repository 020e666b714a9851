/** Certificates by place and section. */
import { language, t } from '../../language/td';
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
export function ordinal(n: number): string {
  switch (ordinals.select(n)) {
    case 'one':
      return t('{n}st', { n });
    case 'two':
      return t('{n}nd', { n });
    case 'few':
      return t('{n}rd', { n });
    default:
      return t('{n}th', { n });
  }
}

const ordinals = new Intl.PluralRules(language, { type: 'ordinal' });

/** A certificate for each player of the first places of a section; an entrant without points has none. */
export function certificates(event: EventSheet, { section, standings }: StandingsSheet, places: number): readonly Certificate[] {
  const entrants = event.sections.find((one) => one.section === section)?.entrants ?? [];
  const honoured = standings.rows.filter(({ rank, score }) => rank <= places && score > 0);
  return honoured.flatMap((row) => {
    const players = entrants.find(({ number }) => number === row.number)?.players.map(({ name }) => name) ?? [];
    const isShared = standings.rows.some((other) => other.rank === row.rank && other.number !== row.number);
    const of = { section, place: t('{ordinal} place{shared}', { ordinal: ordinal(row.rank), shared: isShared ? t(', shared') : '' }), points: t('{points} {points|one:point|other:points}', { points: row.score }) };
    if (players.length === 0) return [{ ...of, name: row.name, team: '' }];
    return players.map((name) => ({ ...of, name, team: players.length > 1 ? row.name : '' }));
  });
}
