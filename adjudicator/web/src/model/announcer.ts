/** Facts for the announcer: short public sentences to be read aloud. */
import { coded, served, t } from '../language/language';
import type { Notices } from './notices';
import { roundWords } from './notices';
import { isOver } from './tablestate';
import type { EventSheet, StandingsSheet } from './td/wire';
import { labelOf, opponents, winnerLabel } from './names';
import type { Table } from './wire';

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
  const announced = (told?.announcements ?? []).filter((one) => isWanted(one.section)).map(({ text }) => served(text));
  const facts: Facts[] = [{ title: t('To be announced'), lines: announced }];
  for (const { section: name, opened, pairings, rounds } of event.sections.filter((one) => isWanted(one.section))) {
    const ofRound = pairings.filter(({ round }) => round === opened);
    const done = ofRound.filter(({ confirmed }) => confirmed).length;
    const times = told?.rounds.find((one) => one.section === name);
    const sheet = sheets.find((one) => one.section === name);
    const lines = [
      opened === 0 ? t('The first of {rounds} rounds is not paired yet.', { rounds }) : t('Round {opened} of {rounds}: {done} of {n} results are confirmed.', { opened, rounds, done, n: ofRound.length }),
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
  const reason = table.result?.reason ?? '';
  const by = ['', 'paper', 'both-lose', 'half-and-none'].includes(reason) ? '' : t(', by {reason}', { reason: coded(reason) });
  const names = opponents(table);
  return winner === '' ? t('{label}: {names}: nobody wins{by}.', { label: labelOf(table), names, by }) : t('{label}: {winner} wins{by} ({names}).', { label: labelOf(table), winner, by, names });
}

/** The longest game that is still played. */
function longest(tables: readonly Table[]): string {
  const playing = tables.filter((table) => table.match !== null && !isOver(table) && table.ply_count > 0);
  const [most] = [...playing].sort((one, other) => other.ply_count - one.ply_count);
  return most === undefined ? '' : t('Longest game still going: {label}{more}, {n} {n|one:move|other:moves}.', { label: labelOf(most), more: opponents(most) === '' ? '' : `, ${opponents(most)}`, n: Math.ceil(most.ply_count / 2) });
}

/** The first places after a round; empty before the first point. */
function leaders({ standings }: StandingsSheet): string {
  const first = standings.rows.filter(({ rank, score }) => rank <= PLACES && score > 0).slice(0, PLACES);
  if (first.length === 0) return '';
  const words = first.map(({ rank, name, score }) => t('{rank}. {name} with {score}', { rank, name, score })).join('; ');
  return t('After round {afterround}{more}: {words}.', { afterround: standings.after_round, more: standings.provisional ? t(', not all confirmed') : '', words });
}
