/** Who met whom, as wall charts write it: `W 2` for a win against number 2. */
import { cellText } from '../../model/chart';
import type { Chart } from '../../model/td/wire';

export function ChartTable({ title, chart }: { readonly title: string; readonly chart: Chart }) {
  const rounds = chart.rows[0]?.cells.map(({ round }) => round) ?? [];
  if (rounds.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <div class="wide">
        <table class="standings chart">
          <thead>
            <tr>
              <th>No.</th>
              <th>Name</th>
              {rounds.map((round) => (
                <th key={round}>
                  <abbr title={`Round ${round}`}>R{round}</abbr>
                </th>
              ))}
              <th>Points</th>
            </tr>
          </thead>
          <tbody>
            {chart.rows.map((row) => (
              <tr key={row.number}>
                <td>{row.shown_number}</td>
                <th scope="row">{row.name}</th>
                {row.cells.map((cell) => (
                  <td key={cell.round} data-kind={cell.kind}>
                    <abbr title={cell.kind.replaceAll('-', ' ')}>{cellText(cell)}</abbr>
                  </td>
                ))}
                <td>{row.score}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="td-soft">
        W won, D drew, L lost against the number beside it; X and F: won or lost without play; B and H: a bye with a whole or half a point; U: not played; *: not over or not
        confirmed.
      </p>
    </section>
  );
}
