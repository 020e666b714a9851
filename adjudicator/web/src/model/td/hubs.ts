/** Hubs and the places of their nodes: what the desk proposes, and what it sends. */
import { t } from '../../language/td';
import type { HubLine, HubNode } from './api';

/** Boards of nodes; a node that is not listed has no place. */
export type Boards = Readonly<Record<string, 'A' | 'B'>>;

/** Proposal for a hub until a person changes it. */
export interface Proposal {
  readonly table: string;
  readonly boards: Boards;
}

/** Nodes that wait for a place: plugged in, and at no table. */
export const waiting = (hub: HubLine): readonly HubNode[] => hub.nodes.filter((node) => node.is_present && node.table === null);

const byBoard = (one: HubNode, other: HubNode) => (one.board ?? '').localeCompare(other.board ?? '') || one.kind.localeCompare(other.kind);

/** Tables of a hub with their nodes, in the order of the names and boards. */
export function placed(hub: HubLine): readonly (readonly [table: string, nodes: readonly HubNode[]])[] {
  const tables = new Map<string, HubNode[]>();
  for (const node of hub.nodes) if (node.table !== null) tables.set(node.table, [...(tables.get(node.table) ?? []), node]);
  return [...tables].map(([table, nodes]) => [table, nodes.sort(byBoard)] as const).sort(([one], [other]) => one.localeCompare(other, undefined, { numeric: true }));
}

/** The proposal for the nodes that wait: at a table of the hub that lacks them, or else at the next free one. */
export function proposal(hub: HubLine): Proposal {
  const nodes = waiting(hub);
  const lacks = (of: readonly HubNode[]) => !of.some((node) => node.by_file) && nodes.every((node) => node.board === null || !of.some((it) => it.kind === node.kind && it.board === node.board));
  const own = placed(hub).find(([, of]) => of.length < 4 && lacks(of))?.[0];
  return { table: own ?? hub.guessed_table ?? '', boards: boardsOf(nodes) };
}

export const boardsOf = (nodes: readonly HubNode[]): Boards =>
  Object.fromEntries(nodes.flatMap((node) => (node.board === null ? [] : [[node.node, node.board] as const])));

/** The same with the boards exchanged. */
export const exchanged = (boards: Boards): Boards => Object.fromEntries(Object.entries(boards).map(([node, board]) => [node, board === 'A' ? 'B' : 'A'] as const));

/** Order that places nodes: those of the table that stay, and the chosen ones. */
export function places(hub: HubLine, { table, boards }: Proposal): readonly (readonly [node: string, board: 'A' | 'B'])[] {
  const stay = hub.nodes.filter((node) => node.table === table && !node.by_file && !(node.node in boards));
  return [...Object.entries(boardsOf(stay)), ...Object.entries(boards)];
}

/** Firmware of a node in words, with a sign if it is older than its hub's release; empty while it is not known. */
export function firmwareWords({ firmware, image, is_outdated }: HubNode): string {
  if (firmware === '') return '';
  const version = image === '' ? firmware : `${image} ${firmware}`;
  return is_outdated ? t('▲ {version}, older than its hub’s', { version }) : version;
}

/** A sentence for each connected node, those with older firmware than their hub first. */
export function firmwareOf(hubs: readonly HubLine[]): { readonly lines: readonly string[]; readonly outdated: number } {
  const nodes = hubs.filter((hub) => hub.is_online).flatMap((hub) => hub.nodes.filter((node) => node.is_present && node.firmware !== ''));
  const line = (node: HubNode) => `${t('Table {table}', { table: `${node.table ?? ''} ${node.board ?? ''}`.trim() })}, ${node.node}: ${firmwareWords(node)}`;
  const outdated = nodes.filter((node) => node.is_outdated);
  return { lines: [...outdated, ...nodes.filter((node) => !node.is_outdated)].map(line), outdated: outdated.length };
}
