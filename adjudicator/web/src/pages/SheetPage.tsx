/** A score sheet to print: both boards of a match on a page, for the player to take home. */
import '../style/sheet.css';
import { useEffect, useState } from 'preact/hooks';
import { Language } from '../components/Language';
import { language, t } from '../language/language';
import { fetchSnapshot } from '../live/api';
import { SURE_FROM_P } from '../model/doubt';
import { claimWords } from '../model/replay';
import { type Cell, rows } from '../model/sheet';
import { tableState } from '../model/tablestate';
import { termsWords } from '../model/terms';
import { labelOf, opponents, resultText, seatLabel } from '../model/names';
import { type BoardId, type MatchSnapshot, type Table, matchSnapshot, sensedBoards } from '../model/wire';

export function SheetPage({ id }: { readonly id: string }) {
  const [match, setMatch] = useState<MatchSnapshot | null>(null);
  const [note, setNote] = useState(t('Loading the match…'));
  useEffect(() => {
    fetchSnapshot(`/api/v1/matches/${encodeURIComponent(id)}`, matchSnapshot).then(
      (found) => {
        document.title = t('{label}, score sheet', { label: labelOf(found.table) });
        setMatch(found);
      },
      (error: unknown) => setNote(error instanceof Error ? error.message : ''),
    );
  }, [id]);
  return (
    <div class="sheet-page">
      <header class="bar">
        <a class="button" href={`/match/${encodeURIComponent(id)}`}>{t('Match')}</a>
        <span class="spread" />
        <button disabled={match === null} onClick={() => window.print()}>{t('Print')}</button>
        <Language />
      </header>
      {match === null ? (
        <main>
          <h1 class="unseen">{t('Score sheet')}</h1>
          <p class="note" role="status">{note}</p>
        </main>
      ) : (
        <Sheet match={match} />
      )}
    </div>
  );
}

function Sheet({ match }: { readonly match: MatchSnapshot }) {
  const { table } = match;
  const boards = sensedBoards(table);
  const doubts = match.plies.some(({ p, illegal }) => p < SURE_FROM_P || illegal !== null);
  const opened = match.opened_ms === null ? '' : new Date(match.opened_ms).toLocaleDateString(language, { year: 'numeric', month: 'long', day: 'numeric' });
  return (
    <main class="sheet" data-testid="sheet" style={{ '--rows': Math.max(...boards.map((board) => rows(match.plies, board).length)) }}>
      <h1>{labelOf(table)}: {opponents(table) || t('Chess')}</h1>
      <p>
        {[match.event, opened, table.section, table.round === null ? '' : t('Round {round}', { round: table.round }), termsWords(table)].filter(Boolean).join(' · ')}
      </p>
      <div class="sheet-boards" data-boards={boards.length}>
        {boards.map((board) => (
          <Board key={board} match={match} board={board} />
        ))}
      </div>
      {match.decided.map((claim, index) => (
        <p key={index}>{claimWords(claim)}</p>
      ))}
      <p class="sheet-result" data-testid="sheet-result">
        <strong>{t('Result:')}</strong> {resultText(table) || tableState(table).words}
        <span>{confirmed(table.result)}</span>
      </p>
      {boards.length > 1 && <p class="sheet-note">{t('The small number before a move is its place in the order of both boards.')}</p>}
      {doubts && <p class="sheet-note">{t('? = the boards did not show which piece it was for sure. ! = against the rules, but not claimed in time.')}</p>}
    </main>
  );
}

/** Source of the result; a line to sign on while there is none. */
function confirmed(result: Table['result']): string {
  if (result?.confirmed_by === 'director') return t('Confirmed by a tournament director.');
  if (result?.confirmed_by === 'teams') return t('Signed by both teams.');
  return t('Confirmed by: ______________________');
}

function Board({ match, board }: { readonly match: MatchSnapshot; readonly board: BoardId }) {
  const { table, plies } = match;
  const two = sensedBoards(table).length > 1;
  return (
    <table>
      <caption>{two ? t('Board {board}', { board }) : t('Moves')}</caption>
      <thead>
        <tr>
          <th>
            <span class="unseen">{t('Moves')}</span>
          </th>
          <th colSpan={2}>{seatLabel(table, board, 'white')}</th>
          <th colSpan={2}>{seatLabel(table, board, 'black')}</th>
        </tr>
      </thead>
      <tbody>
        {rows(plies, board).map((row, index) => (
          <tr key={index}>
            <th>{row.number}</th>
            <Half cell={row.white} counted={two} />
            <Half cell={row.black} counted={two} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Half({ cell, counted }: { readonly cell: Cell | null; readonly counted: boolean }) {
  return (
    <>
      <td>
        {counted && cell !== null && <small>{cell.n}</small>}
        {cell?.san}
        {cell?.illegal === true && ' !'}
        {cell?.doubtful === true && ' ?'}
      </td>
      <td class="sheet-clock">{cell?.clock}</td>
    </>
  );
}
