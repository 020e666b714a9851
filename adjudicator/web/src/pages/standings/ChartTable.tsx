/** Opponents by round, as wall charts write them: `W 2` for a win against number 2. */
import { coded, numeral, t } from '../../language/language';
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
              <th>{t('No.')}</th>
              <th>{t('Name')}</th>
              {rounds.map((round) => (
                <th key={round}>
                  <abbr title={t('Round {round}', { round })}>R{round}</abbr>
                </th>
              ))}
              <th>{t('Points')}</th>
            </tr>
          </thead>
          <tbody>
            {chart.rows.map((row) => (
              <tr key={row.number}>
                <td>{row.shown_number}</td>
                <th scope="row">{row.name}</th>
                {row.cells.map((cell) => (
                  <td key={cell.round} data-kind={cell.kind}>
                    <abbr title={coded(cell.kind)}>{cellText(cell)}</abbr>
                  </td>
                ))}
                <td>{numeral(row.score)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="td-soft">
        {t('W won, D drew, L lost against the number beside it; X and F: won or lost without play; B and H: a bye with a whole or half a point; U: not played; *: not over or not confirmed.')}
      </p>
    </section>
  );
}
