/** Standings by section, for everybody: how each number came about, and who met whom. */
import '../style/td.css';
import { useEffect, useState } from 'preact/hooks';
import { fetchSnapshot } from '../live/api';
import { NOTHING_SEEN, Stream } from '../live/stream';
import { list, object, string } from '../model/decode';
import { type Explanation, type StandingsSheet, standingsSheet } from '../model/td/wire';

const eventOf = object({ name: string, sections: list(object({ section: string })) });

export function StandingsPage() {
  const [sections, setSections] = useState<readonly string[]>([]);
  const [chosen, setChosen] = useState<string | null>(null);
  const [sheet, setSheet] = useState<StandingsSheet | null>(null);
  const [note, setNote] = useState('Loading the standings…');
  const [count, setCount] = useState(0);
  const section = chosen ?? sections[0] ?? null;
  useEffect(() => {
    const again = () => setCount((old) => old + 1);
    const stream = new Stream(null, NOTHING_SEEN, { event: (name) => (name === 'event' || name === 'reset') && again(), broken: () => undefined });
    return () => stream.close();
  }, []);
  useEffect(() => {
    const failed = (error: unknown) => setNote(error instanceof Error ? error.message : '');
    fetchSnapshot('/api/v1/event', eventOf).then((event) => {
      document.title = `Standings – ${event.name || 'Twinboard'}`;
      setSections(event.sections.map((one) => one.section));
      setNote(event.sections.length === 0 ? 'There are no sections yet.' : '');
    }, failed);
    if (section !== null) fetchSnapshot(`/api/v1/standings?section=${encodeURIComponent(section)}`, standingsSheet).then(setSheet, failed);
  }, [section, count]);
  return (
    <div class="standings-page">
      <header class="bar">
        <h1>Standings</h1>
        <span class="spread" />
        {sections.length > 1 && (
          <select aria-label="Section" value={section ?? ''} onChange={(event) => setChosen(event.currentTarget.value)}>
            {sections.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
        <a class="button" href="/">Round</a>
      </header>
      {note !== '' && <p class="note" role="status">{note}</p>}
      {sheet !== null && <Table sheet={sheet} />}
      {sheet !== null && <Chart title="Who met whom" chart={sheet.crosstable} />}
    </div>
  );
}

const words = (code: string) => code.replaceAll('-', ' ').replace(/^./, (letter) => letter.toUpperCase()).replace('Us amateur team', 'U.S. Amateur Team');

/** As wall charts write it: `W 2` for a win against number 2. */
const LETTERS: Readonly<Record<string, string>> = { win: 'W', loss: 'L', draw: 'D' };

function Table({ sheet }: { readonly sheet: StandingsSheet }) {
  const { standings, explanations } = sheet;
  const [open, setOpen] = useState<number | null>(null);
  const shown = standings.order.filter((by) => by !== 'coin-toss');
  return (
    <section>
      <h2>
        {sheet.section}, after round {standings.after_round} {standings.provisional && <em>provisional</em>}
      </h2>
      <div class="wide">
        <table class="standings" data-testid="standings">
          <thead>
            <tr>
              <th>Rank</th>
              <th>Name</th>
              <th>Points</th>
              {shown.map((by) => (
                <th key={by}>{words(by)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {standings.rows.map((row, index) => (
              <tr key={row.number} data-provisional={String(row.provisional)}>
                <td>{row.rank}</td>
                <th scope="row">
                  <button aria-expanded={open === index} onClick={() => setOpen(open === index ? null : index)}>
                    {row.name}
                    {row.provisional && ' *'}
                  </button>
                </th>
                <td>{row.score}</td>
                {shown.map((by) => (
                  <td key={by}>{row.tie_breaks[standings.order.indexOf(by)] ?? '–'}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {standings.provisional && <p class="td-soft">* A result that counts here has yet to be confirmed.</p>}
      {open !== null && <Explained name={standings.rows[open]?.name ?? ''} all={explanations[open] ?? []} sheet={sheet} />}
    </section>
  );
}

/** How the numbers of a line came about. */
function Explained({ name, all, sheet }: { readonly name: string; readonly all: readonly (Explanation | null)[]; readonly sheet: StandingsSheet }) {
  const named = new Map(sheet.standings.rows.map((row) => [row.number, row.name]));
  return (
    <div class="explained" data-testid="explained">
      <h3>{name}</h3>
      {all.map((one) =>
        one === null || one.value === null ? null : (
          <p key={one.tie_break}>
            <strong>{words(one.tie_break)} {one.value}</strong>
            {one.terms.map((term, index) => (
              <span key={index} data-discarded={String(term.discarded !== null)}>
                {index === 0 ? ' = ' : ' + '}
                {term.amount}
                <span class="td-soft">
                  {' '}({term.round === null ? words(term.source.kind) : `round ${term.round}`}
                  {term.source.opponent !== null && `, ${named.get(term.source.opponent) ?? ''}`}
                  {term.discarded !== null && ', not counted'})
                </span>
              </span>
            ))}
          </p>
        ),
      )}
    </div>
  );
}

function Chart({ title, chart }: { readonly title: string; readonly chart: StandingsSheet['crosstable'] }) {
  const numbers = new Map(chart.rows.map((row) => [row.number, row.shown_number]));
  const rounds = chart.rows[0]?.cells.map(({ round }) => round) ?? [];
  return (
    <section>
      <h2>{title}</h2>
      <div class="wide">
        <table class="standings">
          <thead>
            <tr>
              <th>No.</th>
              <th>Name</th>
              {rounds.map((round) => (
                <th key={round}>Round {round}</th>
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
                  <td key={cell.round}>
                    {LETTERS[cell.kind] ?? cell.kind.replaceAll('-', ' ')} {cell.opponent === null ? '' : (numbers.get(cell.opponent) ?? '')}
                    {cell.provisional && cell.kind !== 'pending' && ' *'}
                  </td>
                ))}
                <td>{row.score}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
