/** One match: its boards as the players sit, what they hold, their clocks, and every move so far. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Language } from '../components/Language';
import { noted, t, tx } from '../language/language';
import { ClockRate } from '../components/ClockRate';
import { First } from '../components/First';
import { HallTime } from '../components/HallTime';
import { LineState } from '../components/LineState';
import { MatchBoard } from '../components/MatchBoard';
import { MoveList } from '../components/MoveList';
import { Say, useAnnounced } from '../components/Say';
import { Notices } from '../components/Notices';
import { StateMark } from '../components/StateMark';
import { Walk } from '../components/Walk';
import { Waiting } from '../components/Waiting';
import { IS_MIRROR } from '../live/mirror';
import type { Picture, Subject } from '../live/follow';
import type { Match } from '../model/match';
import { linkTo } from '../model/replay';
import { delays } from '../model/round';
import { sayNews } from '../model/speech';
import { clocksRun, isOver, tableState } from '../model/tablestate';
import { termsWords } from '../model/terms';
import { LIVE, type Place, boardView, indexAt, placeAt, step } from '../model/walk';
import { labelOf, opponents, resultText } from '../model/names';
import { type Table, sensedBoards, unseenBoard } from '../model/wire';
import { usePicture } from './usePicture';

export function MatchPage({ subject }: { readonly subject: Subject }) {
  const { picture, time } = usePicture(subject);
  const table = picture.match?.table ?? tableOf(subject, picture);
  document.title = table === null ? 'Twinboard' : `${labelOf(table)}: ${opponents(table) || termsWords(table)}`;
  return (
    <HallTime.Provider value={time}>
      <div class="match-page">
        <header class="bar">
          <a class="button back" href="/" aria-label={t('All tables')}>
            <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
              <path d="M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z" fill="currentColor" />
            </svg>
          </a>
          <div class="title">
            <h1>
              {table === null ? 'Twinboard' : labelOf(table)}
              {table !== null && table.round !== null && <abbr class="tile-round" title={t('Round {round}', { round: table.round })}> {t('R{round}', { round: table.round })}</abbr>}
              {table !== null && <span class="teams"> {opponents(table)}</span>}
            </h1>
            {table !== null && <StateMark state={tableState(table)} />}
          </div>
          <span class="spread" />
          <ClockRate rate={time.rate} />
          <LineState line={picture.line} delays={table === null ? delays(picture.round) : [table.delay_s, table.delay_s]} />
        </header>
        {picture.note !== null && (
          <p class="note" role="alert">
            {noted(picture.note)} <a href="/">{t('All tables')}</a>
          </p>
        )}
        {picture.match !== null && <Played key={picture.match.id} match={picture.match} later={laterMatch(picture)} />}
        {picture.match === null && table !== null && <Waiting table={table} />}
        {picture.match === null && table !== null && (
          <footer class="note">
            <Language />
          </footer>
        )}
        {picture.match === null && table === null && (
          <main>
            <p class="note">
              <Language />
            </p>
            {picture.note === null && <First />}
          </main>
        )}
        {table !== null && <Notices section={table.section ?? ''} />}
      </div>
    </HallTime.Provider>
  );
}

function tableOf(subject: Subject, picture: Picture): Table | null {
  if (subject.kind !== 'table') return null;
  return picture.round?.tables.find(({ table }) => table === subject.table) ?? null;
}

/** The match that is on at this table by now, if it is another one. */
function laterMatch({ round, match }: Picture): string | null {
  const now = round?.tables.find(({ table }) => table === match?.table.table);
  return now === undefined || now.match === null || now.match === match?.id ? null : now.match;
}

function Played({ match, later }: { readonly match: Match; readonly later: string | null }) {
  const [place, setPlace] = useState<Place>(LIVE);
  const plies = useRef(match.plies);
  plies.current = match.plies;
  const walk = useCallback((by: number) => setPlace((from) => step(plies.current, from, by)), []);
  const go = useCallback((index: number) => setPlace(placeAt(plies.current, index)), []);
  const toLive = useCallback(() => setPlace(LIVE), []);
  const live = place.at === 'live';
  const { table } = match;
  const boards = sensedBoards(table);
  const unseen = unseenBoard(table);
  const counts = live && clocksRun(table);
  const until_ms = live && table.sensors === 'lost' ? table.stale_since_ms : null;
  return (
    <main class="match" data-match={match.id} data-place={place.at} data-boards={boards.length} data-game={table.game}>
      <div class="boards">
        {boards.map((board) => (
          <MatchBoard
            key={board}
            board={board}
            view={boardView(match, place, board)}
            table={table}
            revised={live ? match.revised.filter((square) => square.board === board).map(({ square }) => square) : []}
            revision={match.revision}
            counts={counts}
            until_ms={until_ms}
            moving={!live || !isOver(table)}
          />
        ))}
      </div>
      <aside class="record" aria-label={t('Moves')}>
        <p class="terms" data-testid="terms">
          {termsWords(table)}
        </p>
        {unseen !== null && (
          <p class="unseen-board" data-testid="unseen-board">
            {tx('Board {unseen} has no sensors: what the players here have in hand is not known.', { unseen })}
          </p>
        )}
        {table.result !== null && (
          <p class="result" data-testid="result">
            {resultText(table)}
          </p>
        )}
        {isOver(table) && table.match !== null && (
          <p class="later">
            <a class="button" href={`/match/${encodeURIComponent(table.match)}/replay${moment(match, place)}`}>
              {t('Replay')}
            </a>
            <a class="button" href={`/match/${encodeURIComponent(table.match)}/sheet`}>
              {t('Score sheet')}
            </a>
          </p>
        )}
        {table.result === null && isOver(table) && (
          <p class="result unknown" data-testid="no-result">
            {t('Ended. The boards and clocks do not show how.')}
          </p>
        )}
        {later !== null && (
          <p class="later">
            <a class="button" href={`/match/${encodeURIComponent(later)}`}>
              {t('The next match at this table')}
            </a>
          </p>
        )}
        <MoveList plies={match.plies} single={boards.length === 1} current={indexAt(match.plies, place)} live={live} go={go} />
        <Walk
          index={indexAt(match.plies, place)}
          total={match.plies.length}
          live={live}
          playing={!isOver(table)}
          step={walk}
          toLive={toLive}
        />
        <Download match={match} />
        <Announcer match={match} />
        <p class="later">
          <Language />
        </p>
      </aside>
    </main>
  );
}

/** The replay begins where the page looks, if it looks back. */
function moment(match: Match, place: Place): string {
  const ply = place.at === 'ply' ? match.plies[indexAt(match.plies, place)] : undefined;
  return ply === undefined ? '' : linkTo(ply.t_ms);
}

/** A chess game is taken home as PGN, a bughouse match as BPGN; what other programs open is one touch further. */
function Download({ match }: { readonly match: Match }) {
  // A plain web host has no records.
  if (IS_MIRROR) return null;
  const format = match.table.game === 'chess' ? 'pgn' : 'bpgn';
  const path = `/api/v1/matches/${encodeURIComponent(match.id)}`;
  const others = [
    ['portable.pgn', t('PGN for analysis boards')],
    ['csv', 'CSV'],
    ['json', 'JSON'],
    ['replay.html', t('Replay as a file')],
  ] as const;
  return (
    <>
      <a class="button download" href={`${path}.${format}`} download={`${match.id}.${format}`}>
        {tx('Download the record ({format})', { format: format.toUpperCase() })}
      </a>
      <details class="other-records">
        <summary>{t('Other formats')}</summary>
        {others.map(([ending, words]) => (
          <a key={ending} class="button" href={`${path}.${ending}`} download={`${match.id}.${ending}`}>
            {words}
          </a>
        ))}
      </details>
    </>
  );
}

/** Reads out new plies, as far as the viewer wishes; silent about earlier ones. */
function Announcer({ match }: { readonly match: Match }) {
  const [announced, choose] = useAnnounced();
  const boards = sensedBoards(match.table).length;
  const result = resultText(match.table);
  const before = useRef(result);
  const words = useMemo(() => (announced === 'every' ? sayNews(match.news, boards) : ''), [announced, match.news, boards]);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (words !== '') setSaid(words);
  }, [words]);
  useEffect(() => {
    if (result !== '' && result !== before.current && announced !== 'none') setSaid(result);
    before.current = result;
  }, [result, announced]);
  return (
    <>
      <Say announced={announced} choose={choose} />
      <p class="unseen" aria-live="polite" data-testid="announcer">
        {announced === 'none' ? '' : said}
      </p>
    </>
  );
}
