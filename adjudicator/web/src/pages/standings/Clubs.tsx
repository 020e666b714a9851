/** Standings of a section's clubs, where players have clubs. */
import { numeral, t } from '../../language/language';
import type { StandingsSheet } from '../../model/td/wire';

export function Clubs({ clubs }: { readonly clubs: NonNullable<StandingsSheet['clubs']> }) {
  return (
    <section>
      <h2>{t('Clubs and teams')}</h2>
      <div class="wide">
        <table class="standings" data-testid="clubs">
          <thead>
            <tr>
              <th>{t('Rank')}</th>
              <th>{t('Name')}</th>
              <th>{t('Points')}</th>
              <th>{t('Players that count (numbers)')}</th>
            </tr>
          </thead>
          <tbody>
            {clubs.rows.map((row) => (
              <tr key={row.number}>
                <td>{row.rank ?? '–'}</td>
                <th scope="row">{row.name}</th>
                <td>{numeral(row.score)}</td>
                <td>{row.counting.join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
