/** The ranks with all tie-breaks; a touch on a name or a number tells how it came about. */
import { IS_MIRROR } from '../../live/mirror';
import { useState } from 'preact/hooks';
import { coded, numeral, t, tx } from '../../language/language';
import type { Explanation, PairingSheet, StandingsSheet } from '../../model/td/wire';

interface Props {
  readonly sheet: StandingsSheet;
  /** Matches of the section, for its rows. */
  readonly pairings: readonly PairingSheet[];
}

const words = (code: string) => (code === 'us-amateur-team' ? t('U.S. Amateur Team') : coded(code)).replace(/^./, (letter) => letter.toUpperCase());

/** A number of a tie-break; a dash where a row has none. */
const shownValue = (value: number | null | undefined): string => (value == null ? '–' : numeral(value));

export function Ranks({ sheet, pairings }: Props) {
  const { standings } = sheet;
  const [open, setOpen] = useState<number | null>(null);
  const shown = standings.order.filter((by) => by !== 'coin-toss');
  const found = standings.rows.findIndex(({ number }) => number === open);
  return (
    <section>
      <h2>
        {sheet.section}, {standings.after_round === 0 ? t('before round 1') : t('after round {afterround}', { afterround: standings.after_round })} {standings.provisional && <em>{t('provisional')}</em>}
      </h2>
      <div class="wide">
        <table class="standings" data-testid="standings">
          <thead>
            <tr>
              <th>{t('Rank')}</th>
              <th>{t('Name')}</th>
              <th>{t('Points')}</th>
              {shown.map((by) => (
                <th key={by}>{words(by)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {standings.rows.map((row) => (
              <tr key={row.number} data-provisional={String(row.provisional)} data-open={String(open === row.number)} onClick={() => setOpen(open === row.number ? null : row.number)}>
                <td>{row.rank}</td>
                <th scope="row">
                  <button aria-expanded={open === row.number}>
                    {row.name}
                    {row.provisional && ' *'}
                  </button>
                </th>
                <td>{numeral(row.score)}</td>
                {shown.map((by) => (
                  <td key={by}>{shownValue(row.tie_breaks[standings.order.indexOf(by)])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {standings.provisional && <p class="td-soft">{t('* A result that counts here has yet to be confirmed.')}</p>}
      {shown.length > 0 && <p class="td-soft">{t('Ties are broken by')}{' '} {shown.map((by) => words(by)).join(t(', then '))}.</p>}
      {found < 0 && <p class="td-soft print-never">{t('Touch a line to see how its numbers came about.')}</p>}
      {found >= 0 && <Explained at={found} sheet={sheet} pairings={pairings} />}
    </section>
  );
}

/** Explanation of a line's numbers, and its matches. */
function Explained({ at, sheet, pairings }: Props & { readonly at: number }) {
  const row = sheet.standings.rows[at];
  const named = new Map(sheet.standings.rows.map(({ number, name }) => [number, name]));
  const all = sheet.explanations[at] ?? [];
  if (row === undefined) return null;
  const own = pairings.filter(({ sides }) => sides.some((side) => side.includes(row.number)));
  return (
    <div class="explained" data-testid="explained">
      <h3>{row.name}</h3>
      {all.map((one) => one !== null && one.value !== null && <Sum key={one.tie_break} sum={one} named={named} />)}
      <ol class="own-matches">
        {own.map((pairing) => (
          <Own key={pairing.pairing} pairing={pairing} />
        ))}
      </ol>
      {!IS_MIRROR && (
        <a class="button" href={`/api/v1/event.zip?section=${encodeURIComponent(sheet.section)}&team=${encodeURIComponent(row.name)}`} download={`${row.name}.zip`}>
          {tx('Records of {name} (zip)', { name: row.name })}
        </a>
      )}
    </div>
  );
}

function Sum({ sum, named }: { readonly sum: Explanation; readonly named: ReadonlyMap<number, string> }) {
  return (
    <p>
      <strong>
        {words(sum.tie_break)} {shownValue(sum.value)}
      </strong>
      {sum.terms.map((term, index) => (
        <span key={index} data-discarded={String(term.discarded !== null)}>
          {index === 0 ? ' = ' : ' + '}
          {numeral(term.amount)}
          <span class="td-soft">
            {' '}({term.round === null ? words(term.source.kind) : t('round {round}', { round: term.round })}
            {term.source.opponent !== null && `, ${named.get(term.source.opponent) ?? ''}`}
            {term.discarded !== null && t(', not counted')})
          </span>
        </span>
      ))}
    </p>
  );
}

function Own({ pairing }: { readonly pairing: PairingSheet }) {
  return (
    <li>
      <span>
        {tx('Round {round}: {names} {strong}{result}', { round: pairing.round, names: pairing.names.join(' – '), strong: <strong>{pairing.result ?? (pairing.running ? t('playing') : '')}</strong>, result: pairing.result !== null && !pairing.confirmed && ' *' })}
      </span>
      {pairing.matches.map((id) => (
        <a key={id} class="button" href={`/match/${encodeURIComponent(id)}`}>
          {t('Match')}
        </a>
      ))}
    </li>
  );
}
