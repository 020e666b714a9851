/** A score sheet to print: both boards of a match on a page, for the player to take home. */
import '../style/sheet.css';
import { useEffect, useState } from 'preact/hooks';
import { fetchSnapshot } from '../live/api';
import { type Cell, rows } from '../model/sheet';
import { tableState } from '../model/tablestate';
import { termsWords } from '../model/terms';
import { type BoardId, type MatchSnapshot, matchSnapshot, opponents, seatLabel, sensedBoards } from '../model/wire';

export function SheetPage({ id }: { readonly id: string }) {
  const [match, setMatch] = useState<MatchSnapshot | null>(null);
  const [note, setNote] = useState('Loading the match…');
  useEffect(() => {
    fetchSnapshot(`/api/v1/matches/${encodeURIComponent(id)}`, matchSnapshot).then(
      (found) => {
        document.title = `${found.table.label}, score sheet`;
        setMatch(found);
      },
      (error: unknown) => setNote(error instanceof Error ? error.message : ''),
    );
  }, [id]);
  return (
    <div class="sheet-page">
      <header class="bar">
        <a class="button" href={`/match/${encodeURIComponent(id)}`}>Match</a>
        <span class="spread" />
        <button disabled={match === null} onClick={() => window.print()}>Print</button>
      </header>
      {match === null ? <p class="note" role="status">{note}</p> : <Sheet match={match} />}
    </div>
  );
}

function Sheet({ match }: { readonly match: MatchSnapshot }) {
  const { table } = match;
  const boards = sensedBoards(table);
  const doubts = match.plies.some(({ p, illegal }) => p < 0.9 || illegal !== null);
  return (
    <main class="sheet" data-testid="sheet">
      <h1>{table.label}: {opponents(table) || 'Chess'}</h1>
      <p>
        {[table.section, termsWords(table), table.result?.text ?? tableState(table).words].filter(Boolean).join(' · ')}
      </p>
      <div class="sheet-boards" data-boards={boards.length}>
        {boards.map((board) => (
          <Board key={board} match={match} board={board} />
        ))}
      </div>
      {doubts && <p class="sheet-note">? = the boards did not show which piece it was for sure. ! = against the rules, and nobody claimed it in time.</p>}
    </main>
  );
}

function Board({ match, board }: { readonly match: MatchSnapshot; readonly board: BoardId }) {
  const { table, plies } = match;
  return (
    <table>
      <caption>{sensedBoards(table).length > 1 ? `Board ${board}` : 'Moves'}</caption>
      <thead>
        <tr>
          <th />
          <th colSpan={2}>{seatLabel(table, board, 'white')}</th>
          <th colSpan={2}>{seatLabel(table, board, 'black')}</th>
        </tr>
      </thead>
      <tbody>
        {rows(plies, board).map((row, index) => (
          <tr key={index}>
            <th>{row.number}</th>
            <Half cell={row.white} />
            <Half cell={row.black} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Half({ cell }: { readonly cell: Cell | null }) {
  return (
    <>
      <td>
        {cell?.san}
        {cell?.illegal === true && ' !'}
        {cell?.doubtful === true && ' ?'}
      </td>
      <td class="sheet-clock">{cell?.clock}</td>
    </>
  );
}
