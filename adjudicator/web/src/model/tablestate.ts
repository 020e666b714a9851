/** What is going on at a table, in one kind (for the shape that stands for it) and a few words. */
import { type Table, opponents, sensedBoards } from './wire';

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
  /** It calls for nobody any more: the match has its result. */
  readonly over?: true;
}

const PLAIN: Readonly<Record<string, TableState>> = {
  waiting: { kind: 'waiting', words: 'Waiting' },
  'set-up': { kind: 'set-up', words: 'Setting up' },
  ready: { kind: 'ready', words: 'Ready' },
  playing: { kind: 'playing', words: 'Playing' },
  paused: { kind: 'paused', words: 'Paused' },
  ended: { kind: 'ended', words: 'Ended' },
  'not-followed': { kind: 'lost', words: 'Not followed' },
};

/** Weightiest first: what somebody who looks for trouble or for the end has to see. */
const ON_BOARD: readonly [state: string, kind: StateKind, words: string][] = [
  ['mate', 'mate', 'Mate'],
  ['flag', 'flag', 'Flag down'],
  ['blockable-check', 'check', 'Check, block possible'],
  ['check', 'check', 'Check'],
  ['stalemate', 'paused', 'No move'],
];

export function tableState(table: Table): TableState {
  if (table.result !== null) return resultState(table, table.result);
  if (table.state === 'playing' || table.state === 'paused') {
    // Before and after play nobody misses them, and a table without sensors has none to lose.
    if (table.sensors === 'lost') return { kind: 'lost', words: 'Sensors lost' };
    for (const [state, kind, words] of ON_BOARD) {
      const boards = sensedBoards(table).filter((board) => table.boards[board]?.state === state);
      if (boards.length > 0) return { kind, words: words + on(table, boards.join(' and ')) };
    }
  }
  return PLAIN[table.state] ?? { kind: 'waiting', words: table.state };
}

/** Which board: said where there are two. */
function on(table: Table, boards: string | null): string {
  return boards === null || sensedBoards(table).length < 2 ? '' : ` on ${boards}`;
}

function resultState(table: Table, result: NonNullable<Table['result']>): TableState {
  const where = on(table, result.board);
  if (result.reason === 'mate') return { kind: 'mate', words: `Mate${where}`, over: true };
  if (result.reason === 'king-captured') return { kind: 'mate', words: `King taken${where}`, over: true };
  if (result.reason === 'flag') return { kind: 'flag', words: `Flag${where}`, over: true };
  if (result.reason === 'both-flags') return { kind: 'flag', words: 'Both flags', over: true };
  if (result.reason === 'stalemate') return { kind: 'ended', words: 'Stalemate', over: true };
  if (result.winner === 0) return { kind: 'ended', words: 'Drawn', over: true };
  return { kind: 'ended', words: 'Ended', over: true };
}

/** Whether nobody moves at a table any more, with a result that is known or without. */
export function isOver(table: Table): boolean {
  return table.result !== null || table.state === 'ended';
}

/** Whether the table's clocks may be counted on between readings. */
export function clocksRun(table: Table): boolean {
  return table.result === null && table.sensors !== 'lost' && table.state === 'playing';
}

/** Whether a table answers to what somebody typed: its number, label, section, game, a team or, where persons are named, a player. */
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

/** By number where names are numbers, so that table 10 comes after table 9. */
export function byTable(a: Table, b: Table): number {
  return a.table.localeCompare(b.table, 'en', { numeric: true });
}
