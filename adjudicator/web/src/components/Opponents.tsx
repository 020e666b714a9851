/** Names of the opponents with the points between them: a long name is cut, the points never. */
import { opponentsAndScore, scored } from '../model/names';
import type { Table } from '../model/wire';

interface Props {
  readonly table: Table;
  /** Text where no names are shown. */
  readonly otherwise: string;
}

export function Opponents({ table, otherwise }: Props) {
  const of = scored(table);
  if (of === null || of.points === null) return <span class="opponents"><span>{opponentsAndScore(table) || otherwise}</span></span>;
  return (
    <span class="opponents">
      <span>{of.names[0]}</span>
      <strong class="score">
        {of.points[0]} – {of.points[1]}
      </strong>
      <span>{of.names[1]}</span>
    </span>
  );
}
