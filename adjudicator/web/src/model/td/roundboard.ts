/** The round at a glance, for who runs it: how many tables are where on their way, and what is missing before it begins. */
import { t } from '../../language/td';
import type { Table } from '../wire';
import { stageOf } from './desk';
import type { EventSheet, PairingSheet, SectionSheet } from './wire';

/** Where a table of a round is. */
export type Kind = 'ready' | 'setting-up' | 'not-ready' | 'playing' | 'to-confirm' | 'done';

export const KINDS: Readonly<Record<Kind, string>> = {
  'not-ready': t('Not ready'),
  'setting-up': t('Setting up'),
  ready: t('Ready'),
  playing: t('Playing'),
  'to-confirm': t('To confirm'),
  done: t('Done'),
};

export interface Row {
  readonly section: string;
  readonly pairing: PairingSheet;
  readonly kind: Kind;
  /** What should be looked at there, each with what to do. */
  readonly notes: readonly string[];
}

/** The rows of the rounds that were opened last, the table that needs somebody first. */
export function rowsOf(event: EventSheet, tables: readonly Table[]): readonly Row[] {
  const order = Object.keys(KINDS);
  const rows = event.sections.flatMap((section) =>
    section.pairings.filter(({ round }) => round === section.opened).map((pairing) => rowOf(section, pairing, tables.find(({ table }) => table === pairing.table))),
  );
  return rows.sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind) || one.pairing.table.localeCompare(other.pairing.table, undefined, { numeric: true }));
}

function rowOf(section: SectionSheet, pairing: PairingSheet, table: Table | undefined): Row {
  const notes = notesOf(section, pairing, table);
  return { section: section.section, pairing, kind: kindOf(pairing, table), notes };
}

function kindOf(pairing: PairingSheet, table: Table | undefined): Kind {
  const stage = stageOf(pairing);
  if (stage !== 'to-play') return stage === 'playing' ? 'playing' : stage;
  // The table still shows what was played there before.
  if (table === undefined || table.sensors === 'lost') return 'not-ready';
  if (table.round !== null && table.round !== pairing.round) return 'not-ready';
  if (table.state === 'ready') return 'ready';
  return table.state === 'set-up' || table.state === 'waiting' ? 'setting-up' : 'not-ready';
}

function notesOf(section: SectionSheet, pairing: PairingSheet, table: Table | undefined): readonly string[] {
  const notes: string[] = [];
  const stage = stageOf(pairing);
  if (stage === 'done') return notes;
  if (pairing.seats.length > 0 && pairing.seats_as_paired && section.game !== 'players') notes.push(t('seats as paired: ask who sits where'));
  if (table === undefined) return [...notes, t('no hub knows this table: enter the result from paper, or name the table in a hub’s configuration')];
  if (table.match === null && table.sensors === 'lost') notes.push(t('no sensor data: check its hub, or enter the result from paper'));
  else if (table.sensors === 'lost') notes.push(t('its hub is offline: check its power and cable'));
  if (table.state === 'not-followed') notes.push(t('a game is being played, but no match follows it'));
  if (stage === 'to-play' && ['playing', 'paused', 'ended'].includes(table.state)) notes.push(t('what was played there before is still at the table: set up the next match'));
  const ofRound = table.round === null || table.round === pairing.round;
  if (table.match !== null && ofRound && table.rulebook !== null && table.rulebook !== section.rulebook) notes.push(t('its match goes by {rulebook}, the section by {rulebook2}: correct the hub’s configuration', { rulebook: table.rulebook, rulebook2: section.rulebook }));
  const announced = section.terms?.time ?? null;
  if (table.match !== null && ofRound && announced !== null && table.time !== null && announced.periods[0]?.base_s !== table.time.periods[0]?.base_s) notes.push(t('its clocks are set otherwise than the section announces: set them again'));
  if (table.game === 'bughouse' && table.match !== null && (table.boards.A === null || table.boards.B === null)) notes.push(t('one of its boards has no sensors'));
  if (stage === 'to-confirm') notes.push(t('{result} is to be confirmed', { result: pairing.result ?? '' }));
  return notes;
}

/** How many tables are where. */
export function countsOf(rows: readonly Row[]): readonly (readonly [Kind, number])[] {
  return (Object.keys(KINDS) as Kind[]).map((kind) => [kind, rows.filter((row) => row.kind === kind).length] as const);
}

/** Tables of the event that no pairing of the round has: who stands there sees that they are free. */
export function freeTables(event: EventSheet): readonly string[] {
  const taken = new Set(event.sections.flatMap((one) => one.pairings.filter(({ round }) => round === one.opened).map(({ table }) => table)));
  return event.tables.filter((table) => !taken.has(table));
}
