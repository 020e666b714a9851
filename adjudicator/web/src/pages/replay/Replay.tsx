/** Plays a match again in the time in which it was played. */
import '../../style/replay.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { t } from '../../language/language';
import { HallTime } from '../../components/HallTime';
import { MoveList } from '../../components/MoveList';
import { Say, useAnnounced } from '../../components/Say';
import { TileBoard } from '../../components/TileBoard';
import type { Announced } from '../../model/announced';
import type { Match } from '../../model/match';
import { SPEEDS, boardsOf, claimWords, indexAtTime, length_ms, linkTo, linkedTime, passesAt, replayView } from '../../model/replay';
import { sayPly } from '../../model/speech';
import { labelOf, opponents, resultText, seatLabels } from '../../model/names';
import { Passes } from './Passes';
import { TimeLine } from './TimeLine';

/** Moment of the film, and the ways to another one. */
function usePlayer(match: Match) {
  const end_ms = length_ms(match);
  const held = (t_ms: number) => Math.max(0, Math.min(end_ms, t_ms));
  const [t_ms, setTime] = useState(() => held(linkedTime(window.location.hash) ?? 0));
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<number>(1);
  const now = useRef(t_ms);
  now.current = t_ms;
  const index = indexAtTime(match.plies, t_ms);

  usePlaying(playing, speed, (by_ms) => {
    const next = held(now.current + by_ms);
    setTime(next);
    if (next >= end_ms) setPlaying(false);
  });
  useEffect(() => {
    const linked = () => setTime((old) => held(linkedTime(window.location.hash) ?? old));
    window.addEventListener('hashchange', linked);
    return () => window.removeEventListener('hashchange', linked);
  }, []);
  const go = (to_ms: number) => {
    setTime(held(to_ms));
    history.replaceState(null, '', linkTo(held(to_ms)));
  };
  const goTo = (to: number) => go(match.plies[Math.max(0, Math.min(match.plies.length - 1, to))]?.t_ms ?? 0);
  const step = (by: number) => (index + by < 0 ? go(0) : goTo(index + by));
  const toggle = () => {
    if (!playing && t_ms >= end_ms) setTime(0);
    setPlaying(!playing);
    if (playing) history.replaceState(null, '', linkTo(t_ms));
  };
  useKeys({ toggle, step });
  return { t_ms, now, end_ms, index, playing, speed, setSpeed, go, goTo, step, toggle };
}

type Player = ReturnType<typeof usePlayer>;

export function Replay({ match }: { readonly match: Match }) {
  const player = usePlayer(match);
  const { t_ms, now, end_ms, index, playing, go, goTo } = player;
  const [announced, choose] = useAnnounced();
  // While it plays, clocks ask for the time themselves; each jump gives them a new value.
  const time = useMemo(() => ({ now_ms: () => now.current, live: true, rate: 1 }), [index, playing]);
  const boards = boardsOf(match);
  return (
    <HallTime.Provider value={time}>
      <main class="replay" data-testid="replay" data-t-ms={Math.round(t_ms)} data-index={index} data-playing={String(playing)}>
        <header class="replay-head">
          <h1>{labelOf(match.table)} <span>{opponents(match.table)}</span></h1>
          {match.table.result !== null && <p data-testid="result">{resultText(match.table)}</p>}
        </header>
        <div class="replay-boards" data-boards={boards.length}>
          {boards.map((board) => {
            const view = replayView(match, t_ms, board);
            // A jump repaints stopped clocks.
            const key = playing ? board : `${board} ${Math.round(t_ms)}`;
            return <TileBoard key={key} board={board} now={{ ...view, uncertain: [...view.uncertain], last: view.last.length === 0 ? null : view.last.join('') }} counts until_ms={null} moving seats={seatLabels(match.table, board)} />;
          })}
          <Passes passes={passesAt(match.plies, t_ms)} />
        </div>
        <TimeLine match={match} t_ms={t_ms} end_ms={end_ms} go={go} />
        <Controls player={player}>
          <Say announced={announced} choose={choose} />
        </Controls>
        <Claims match={match} go={go} />
        <p class="unseen" aria-live="polite" data-testid="announcer">{said(announced, match, t_ms, index, boards.length)}</p>
        <MoveList plies={match.plies} single={boards.length === 1} current={index} live={false} go={goTo} />
        {match.plies.length === 0 && <p class="note">{t('No move was played.')}</p>}
      </main>
    </HallTime.Provider>
  );
}

function Controls({ player, children }: { readonly player: Player; readonly children: ComponentChildren }) {
  const { playing, toggle, step, speed, setSpeed, t_ms } = player;
  return (
    <div class="replay-controls">
      <button class="strong" data-testid="play" onClick={toggle}>{playing ? t('Pause') : t('Play')}</button>
      <button aria-label={t('One move back')} onClick={() => step(-1)}>◂</button>
      <button aria-label={t('One move on')} onClick={() => step(1)}>▸</button>
      <label>
        {t('Speed')}
        <select value={speed} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
          {SPEEDS.map((one) => <option key={one} value={one}>{one === 0.5 ? '½' : one}×</option>)}
        </select>
      </label>
      {children}
      <a class="button" data-testid="link" href={linkTo(t_ms)}>{t('Link to this moment')}</a>
    </div>
  );
}

/** Decisions of directors, each a link to its moment. */
function Claims({ match, go }: { readonly match: Match; readonly go: (t_ms: number) => void }) {
  if (match.decided.length === 0) return null;
  return (
    <ul class="replay-claims" data-testid="claims">
      {match.decided.map((claim, at) => (
        <li key={at}>
          <button onClick={() => go(claim.t_ms)}>{claimWords(claim)}</button>
        </li>
      ))}
    </ul>
  );
}

function said(announced: Announced, match: Match, t_ms: number, index: number, boards: number): string {
  const isOver = index === match.plies.length - 1;
  if (announced !== 'none' && isOver && match.table.result !== null) return match.table.result.text;
  const ply = match.plies[index];
  const claim = match.decided.findLast((one) => one.t_ms <= t_ms);
  if (announced !== 'none' && claim !== undefined && claim.t_ms >= (ply?.t_ms ?? 0)) return claimWords(claim);
  return announced === 'every' && ply !== undefined ? sayPly(ply, boards) : '';
}

/** Calls `on` with the match time that has passed, picture by picture. */
function usePlaying(playing: boolean, speed: number, on: (by_ms: number) => void): void {
  const latest = useRef(on);
  latest.current = on;
  useEffect(() => {
    if (!playing) return undefined;
    let before = performance.now();
    let frame = requestAnimationFrame(function next(at) {
      latest.current((at - before) * speed);
      before = at;
      frame = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(frame);
  }, [playing, speed]);
}

function useKeys({ toggle, step }: { readonly toggle: () => void; readonly step: (by: number) => void }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const { target } = event;
      if (target instanceof HTMLSelectElement || target instanceof HTMLInputElement) return;
      if (event.key === ' ' && !(target instanceof HTMLButtonElement)) toggle();
      else if (event.key === 'ArrowLeft') step(-1);
      else if (event.key === 'ArrowRight') step(1);
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}
