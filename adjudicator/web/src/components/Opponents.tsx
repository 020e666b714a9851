/** Who plays whom, with the points between the names: a long name is cut, the points never. */
import { opponentsAndScore, scored } from '../model/names';
import type { Table } from '../model/wire';

interface Props {
  readonly table: Table;
  /** What is shown where nobody is named. */
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
