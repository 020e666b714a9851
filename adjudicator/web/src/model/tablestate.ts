/** State of a table: one kind, which has a shape of its own, and a few words. */
import { once, t } from '../language/language';
import { nobodyWords, opponents } from './names';
import { type Table, sensedBoards } from './wire';

export type StateKind =
  | 'waiting'
  | 'set-up'
  | 'ready'
  | 'playing'
  | 'paused'
  | 'check'
  | 'mate'
  | 'flag'
  | 'ended'
  | 'lost';

export interface TableState {
  readonly kind: StateKind;
  readonly words: string;
  /** True if it needs no director: the match has its result. */
  readonly over?: true;
}

const plain = once((): Readonly<Record<string, TableState>> => ({
  waiting: { kind: 'waiting', words: t('Waiting') },
  'set-up': { kind: 'set-up', words: t('Setting up') },
  ready: { kind: 'ready', words: t('Ready') },
  playing: { kind: 'playing', words: t('Playing') },
  paused: { kind: 'paused', words: t('Paused') },
  ended: { kind: 'ended', words: t('Ended') },
  'not-followed': { kind: 'lost', words: t('Not followed') },
}));

/** Kinds in order of weight, for readers who look for trouble or for the end. */
const onBoard = once((): readonly [state: string, kind: StateKind, words: string][] => [
  ['mate', 'mate', t('Mate')],
  ['flag', 'flag', t('Flag down')],
  ['blockable-check', 'check', t('Check, block possible')],
  ['check', 'check', t('Check')],
  ['stalemate', 'paused', t('No move')],
]);

export function tableState(table: Table): TableState {
  if (table.result !== null) return resultState(table, table.result);
  if (table.state === 'playing' || table.state === 'paused') {
    // Sensors matter in play only, and a table without sensors has none to lose.
    if (table.sensors === 'lost') return { kind: 'lost', words: t('Sensors lost') };
    for (const [state, kind, words] of onBoard()) {
      const boards = sensedBoards(table).filter((board) => table.boards[board]?.state === state);
      if (boards.length > 0) return { kind, words: words + on(table, boards.join(t(' and '))) };
    }
  }
  return plain()[table.state] ?? { kind: 'waiting', words: table.state };
}

/** Letter of the board where there are two. */
function on(table: Table, boards: string | null): string {
  return boards === null || sensedBoards(table).length < 2 ? '' : t(' on {boards}', { boards });
}

function resultState(table: Table, result: NonNullable<Table['result']>): TableState {
  const where = on(table, result.board);
  if (result.reason === 'mate') return { kind: 'mate', words: t('Mate{where}', { where }), over: true };
  if (result.reason === 'king-captured') return { kind: 'mate', words: t('King taken{where}', { where }), over: true };
  if (result.reason === 'flag') return { kind: 'flag', words: t('Flag{where}', { where }), over: true };
  if (result.reason === 'both-flags') return { kind: 'flag', words: t('Both flags'), over: true };
  if (result.reason === 'stalemate') return { kind: 'ended', words: t('Stalemate'), over: true };
  if (result.winner === 0) return { kind: 'ended', words: nobodyWords(result.reason), over: true };
  return { kind: 'ended', words: t('Ended'), over: true };
}

/** Checks whether play at a table is over, with or without a known result. */
export function isOver(table: Table): boolean {
  return table.result !== null || table.state === 'ended';
}

/** Checks whether the table's clocks may advance between readings. */
export function clocksRun(table: Table): boolean {
  return table.result === null && table.sensors !== 'lost' && table.state === 'playing';
}

/** Checks whether a table matches a search: its number, label, section, game, a team or, where persons are named, a player. */
export function matchesSearch(table: Table, typed: string): boolean {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [table.label, table.section ?? '', table.game, opponents(table), ...table.members].join(' ').toLowerCase();
  return words.every((word) =>
    /^\d+$/.test(word) ? table.table === word || text.split(/\s+/).includes(word) : text.includes(word),
  );
}

/** The round's sections in the order in which they first appear. */
export function sections(tables: readonly Table[]): string[] {
  return [...new Set(tables.flatMap(({ section }) => (section === null ? [] : [section])))];
}
