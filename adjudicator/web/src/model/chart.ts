/** A round of a wall chart or crosstable in the usual notation. */
import type { Chart } from './td/wire';

export type Cell = Chart['rows'][number]['cells'][number];

const LETTERS: Readonly<Record<string, string>> = {
  win: 'W',
  draw: 'D',
  loss: 'L',
  'forfeit-win': 'X',
  'forfeit-draw': 'Z',
  'forfeit-loss': 'F',
  'full-point-bye': 'B',
  'half-point-bye': 'H',
  'zero-point-bye': 'U',
  unplayed: 'U',
  withdrawn: 'U',
  pending: '*',
};

/** `W 2` for a win against the row that is shown as number 2; a star where it is not confirmed. */
export function cellText({ kind, opponent, game_points, provisional }: Cell): string {
  const against = opponent === null ? '' : ` ${opponent}`;
  const games = game_points === null ? '' : ` (${game_points})`;
  return `${LETTERS[kind] ?? kind}${against}${games}${provisional && kind !== 'pending' ? ' *' : ''}`;
}
