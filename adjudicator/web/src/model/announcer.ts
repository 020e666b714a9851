/** Facts for the announcer: short public sentences to be read aloud. */
import type { Notices } from './notices';
import { roundWords } from './notices';
import { isOver } from './tablestate';
import type { EventSheet, StandingsSheet } from './td/wire';
import { type Table, opponents, winnerLabel } from './wire';

export interface Facts {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Places that are read aloud, and results of one page. */
const PLACES = 3;
const RESULTS_MAX = 12;

/** Facts of all sections, or of one. Only a confirmed result is read aloud. */
export function factsOf(event: EventSheet, tables: readonly Table[], told: Notices | null, sheets: readonly StandingsSheet[], section: string | null, now_ms: number): readonly Facts[] {
  const isWanted = (name: string | null) => section === null || name === null || name === section;
  const announced = (told?.announcements ?? []).filter((one) => isWanted(one.section)).map(({ text }) => text);
  const facts: Facts[] = [{ title: 'To be announced', lines: announced }];
  for (const { section: name, opened, pairings, rounds } of event.sections.filter((one) => isWanted(one.section))) {
    const ofRound = pairings.filter(({ round }) => round === opened);
    const done = ofRound.filter(({ confirmed }) => confirmed).length;
    const times = told?.rounds.find((one) => one.section === name);
    const sheet = sheets.find((one) => one.section === name);
    const lines = [
      opened === 0 ? `The first of ${rounds} rounds is not paired yet.` : `Round ${opened} of ${rounds}: ${done} of ${ofRound.length} results are confirmed.`,
      times === undefined ? '' : sentence(roundWords(times, now_ms)),
      ...tables.filter((table) => table.section === name && table.result !== null && table.result.confirmed_by !== null && table.round === opened).slice(0, RESULTS_MAX).map(resultWords),
      longest(tables.filter((table) => table.section === name)),
      sheet === undefined ? '' : leaders(sheet),
    ];
    facts.push({ title: name, lines: lines.filter((line) => line !== '') });
  }
  return facts.filter(({ lines }) => lines.length > 0);
}

const sentence = (words: string) => (words === '' ? '' : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`);

function resultWords(table: Table): string {
  const winner = winnerLabel(table);
  const reason = (table.result?.reason ?? '').replaceAll('-', ' ');
  const by = reason === '' || reason === 'paper' ? '' : `, by ${reason}`;
  const names = opponents(table);
  return winner === '' ? `${table.label}: ${names}: nobody wins${by}.` : `${table.label}: ${winner} wins${by} (${names}).`;
}

/** The longest game that is still played. */
function longest(tables: readonly Table[]): string {
  const playing = tables.filter((table) => table.match !== null && !isOver(table) && table.ply_count > 0);
  const [most] = [...playing].sort((one, other) => other.ply_count - one.ply_count);
  return most === undefined ? '' : `Longest game still going: ${most.label}${opponents(most) === '' ? '' : `, ${opponents(most)}`}, ${Math.ceil(most.ply_count / 2)} moves.`;
}

/** The first places after a round; empty before the first point. */
function leaders({ standings }: StandingsSheet): string {
  const first = standings.rows.filter(({ rank, score }) => rank <= PLACES && score > 0).slice(0, PLACES);
  if (first.length === 0) return '';
  const words = first.map(({ rank, name, score }) => `${rank}. ${name} with ${score}`).join('; ');
  return `After round ${standings.after_round}${standings.provisional ? ', not all confirmed' : ''}: ${words}.`;
}
