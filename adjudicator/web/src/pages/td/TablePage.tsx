/** The match at a table, or an earlier one: its events, the rules of the book, and the decisions. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { coded, langOf, served, t, tx } from '../../language/td';
import { HallTime } from '../../components/HallTime';
import { MoveList } from '../../components/MoveList';
import { TileBoard } from '../../components/TileBoard';
import { Walk } from '../../components/Walk';
import { keepMatch, kept } from '../../live/td/kept';
import { get } from '../../live/td/server';
import { fromSnapshot } from '../../model/match';
import { clocksRun, isOver } from '../../model/tablestate';
import { termsWords } from '../../model/terms';
import { percent } from '../../model/td/needs';
import { type DirectorMatch, type Me, directorMatch } from '../../model/td/wire';
import { LIVE, type Place, askedPlace, boardView, indexAt, placeAt, step } from '../../model/walk';
import { labelOf, opponents } from '../../model/names';
import { sensedBoards } from '../../model/wire';
import { Belongs } from './Belongs';
import { Calibration } from './Calibration';
import { Claims } from './Claims';
import { Clocks, type Ordering } from './Clocks';
import { Evidence } from './Evidence';
import { Ledger } from './Ledger';
import { OpenClaim } from './OpenClaim';
import { Penalise } from './Penalise';
import { PhotoFinish } from './PhotoFinish';
import { PutUps } from './PutUps';
import { Record } from './Record';
import { ResultSheet } from './ResultSheet';
import { SeatsOf } from './Seats';
import { Outcomes, TdBar } from './TdBar';
import { type Desk, useDesk } from './useDesk';
import { ZeroTest } from './ZeroTest';

const AGAIN_MS = 2_000;

/** The present match of a table, or one match at any table. */
type Of = { readonly table: string } | { readonly match: string };

export function TablePage({ me, of, lost }: { readonly me: Me; readonly of: Of; readonly lost: () => void }) {
  const [found, setFound] = useState(() => ('table' in of ? kept.ofTable(of.table) : null));
  const [note, setNote] = useState('');
  const path = 'table' in of ? `/api/v1/td/tables/${encodeURIComponent(of.table)}` : `/api/v1/td/matches/${encodeURIComponent(of.match)}`;
  useEffect(() => {
    let timer: number | undefined;
    // Somebody who opens the page before the pieces stand finds the match once they do.
    const failed = (error: unknown) => {
      setNote(error instanceof Error ? error.message : '');
      timer = window.setTimeout(look, AGAIN_MS);
    };
    const came = (match: DirectorMatch) => {
      keepMatch(match);
      setFound(match);
    };
    const look = () => void get(path, directorMatch).then(came, failed);
    look();
    return () => window.clearTimeout(timer);
  }, [path]);
  const desk = useDesk(found?.shown.table.match ?? null, lost);
  const match = desk.match ?? found;
  return (
    <div class="td">
      <TdBar title={titleOf(match, of)} me={me} desk={desk} />
      <Outcomes desk={desk} />
      {desk.others.length > 0 && <p class="td-soft" data-testid="others" role="status">{tx('Also looking: {others}', { others: desk.others.join(', ') })}</p>}
      {match === null ? (
        <main>
          <p class="note" role="status" lang={note === '' ? undefined : langOf(note)}>{note === '' ? t('Opening…') : served(note)}</p>
          {note !== '' && <p class="td-soft">{t('This page opens by itself once a match is set up at the table.')}</p>}
        </main>
      ) : (
        <Shown match={match} desk={desk} me={me} />
      )}
    </div>
  );
}

/** `Table 4, round 2`: of which round a match is, everybody sees at once. */
function titleOf(match: DirectorMatch | null, of: Of): string {
  if (match === null) return 'table' in of ? t('Table {table}', { table: of.table }) : t('A match');
  const { round } = match.shown.table;
  const label = labelOf(match.shown.table);
  return round === null ? label : t('{label}, round {round}', { label, round });
}

/** Context in which the parts of the page decide. */
export interface Deciding {
  readonly match: DirectorMatch;
  readonly decide: (decided: Record<string, unknown>, label: string, team?: 'team-1' | 'team-2') => void;
}

function Shown({ match, desk, me }: { readonly match: DirectorMatch; readonly desk: Desk; readonly me: Me }) {
  const { table } = match.shown;
  const id = table.match ?? '';
  const [place, setPlace] = useState<Place>(() => asked(match));
  const played = useMemo(() => fromSnapshot(id, match.shown), [match]);
  const time = useMemo(() => ({ now_ms: desk.now_ms, live: desk.live, rate: match.shown.clock_rate }), [desk.live, match.shown.clock_rate]);
  const live = place.at === 'live';
  const index = indexAt(played.plies, place);
  const decide: Deciding['decide'] = (decided, label, team) =>
    desk.act({ of: 'match', match: id, seen: match.version, ...(team === undefined ? {} : { team }), decided }, `${labelOf(table)}: ${label}`);
  const order: Ordering['order'] = (board, change, label, because) =>
    desk.act({ of: 'clock', match: id, board, change, ...(because === undefined ? {} : { because }) }, t('{label}: ordered: {what}', { label: labelOf(table), what: label }));
  const takeBack: Ordering['takeBack'] = ({ act, what }) =>
    desk.act({ of: 'clock-withdrawn', match: id, order: act }, t('{label}: taken back: {what}', { label: labelOf(table), what }));
  const doneByHand: Ordering['doneByHand'] = ({ act, what }) =>
    desk.act({ of: 'clock-done', match: id, order: act }, t('{label}: done by hand: {what}', { label: labelOf(table), what }));
  const deciding = { match, decide };
  // A scorekeeper enters results; the server lets them do nothing else here.
  const decides = me.rank !== 'scorekeeper';
  const ply = played.plies[index];
  const wrong = ply === undefined ? undefined : match.illegal.find((one) => one.ply === ply.id);
  const lookAt = (of: number) => setPlace(placeAt(played.plies, played.plies.findIndex((one) => one.id === of)));
  return (
    <HallTime.Provider value={time}>
      <main class="td-table" data-match={id}>
        {!match.is_at_table && (
          <p class="td-earlier">
            <strong>{t('An earlier match.')}</strong> <a href={`/td/table/${encodeURIComponent(table.table)}`}>{t('To the one at this table now')}</a>
          </p>
        )}
        <p class="td-soft">
          {opponents(table)} {table.section ?? ''} · {termsWords(table)} · <a href={`/td/rules/${encodeURIComponent(table.rulebook ?? '')}`}>{table.rulebook}</a>
        </p>
        <div class="td-boards" data-boards={sensedBoards(table).length}>
          {sensedBoards(table).map((board) => (
            <TileBoard
              key={board}
              board={board}
              now={asNow(boardView(played, place, board))}
              counts={live && clocksRun(table)}
              until_ms={live && table.sensors === 'lost' ? table.stale_since_ms : null}
              moving={!live || !isOver(table)}
            />
          ))}
        </div>
        {ply !== undefined && (
          <p class="td-ply" data-testid="ply">
            <strong>{ply.number}. {ply.san}</strong> {percent(ply.p)}
            {ply.alternatives.slice(0, 3).map((other) => (
              <span key={other.uci}>
                {' '}{tx('or {san} {percent}', { san: other.san, percent: percent(other.p) })}
              </span>
            ))}
            {wrong !== undefined && <em> {' '}{tx('Not legal: {reason}.', { reason: coded(wrong.reason) })}</em>}
          </p>
        )}
        <Walk
          index={index}
          total={played.plies.length}
          live={live}
          playing={!isOver(table)}
          step={(by) => setPlace((from) => step(played.plies, from, by))}
          toLive={() => setPlace(LIVE)}
        />
        {ply !== undefined && (!live || isOver(table)) && (
          <Evidence
            key={ply.id}
            match={match}
            ply={ply}
            ask={(from_us, to_us) => desk.act({ of: 'evidence', match: id, from_us, to_us }, t('{label}: evidence asked for', { label: labelOf(table) }))}
          />
        )}
        <PhotoFinish match={match} />
        <ZeroTest
          match={match}
          begin={decides ? () => desk.act({ of: 'zero-test', match: id }, t('{label}: zero test begun', { label: labelOf(table) })) : null}
        />
        <Claims {...deciding} me={me} lookAt={lookAt} />
        {decides && <PutUps {...deciding} />}
        {decides && match.is_at_table && <OpenClaim {...deciding} looking={ply ?? null} />}
        {decides && match.is_at_table && <Clocks match={match} order={order} takeBack={takeBack} doneByHand={doneByHand} />}
        {decides && (
          <Calibration
            match={match}
            calibrate={(board, content) => desk.act({ of: 'baseline', match: id, board, content }, t('{label}: board {board} calibrates', { label: labelOf(table), board }))}
          />
        )}
        {match.pairing !== null && <SeatsOf pairing={match.pairing} act={(deed, label) => desk.act({ of: 'event', deeds: [deed] }, label)} />}
        <ResultSheet {...deciding} me={me} />
        {decides && <Belongs match={match} bind={(pairing, label) => desk.act({ of: 'bind', match: id, pairing }, `${labelOf(table)}: ${label}`)} />}
        {decides && <Penalise {...deciding} />}
        {decides && <Record {...deciding} looking={live ? null : (ply ?? null)} lookAt={lookAt} />}
        <details>
          <summary>{t('Moves')}</summary>
          <MoveList plies={played.plies} single={sensedBoards(table).length === 1} current={index} live={live} go={(to) => setPlace(placeAt(played.plies, to))} />
        </details>
        <Ledger match={match} decide={decide} me={me} />
      </main>
    </HallTime.Provider>
  );
}

/** The ply that the list's item is about, if it is about one. */
function asked(match: DirectorMatch): Place {
  return askedPlace(match.shown.plies, window.location.search);
}

/** A board of the past as small boards take it. */
function asNow(view: ReturnType<typeof boardView>) {
  return { ...view, uncertain: [...view.uncertain], last: view.last.length === 0 ? null : view.last.join('') };
}
