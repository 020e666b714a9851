/** Scenes for a stream: transparent pages of which each shows one thing, for OBS and its like. */
import '../../style/overlay.css';
import { useEffect, useState } from 'preact/hooks';
import { coded, t, tx } from '../../language/language';
import { HallTime } from '../../components/HallTime';
import { LOOK_EVERY_MS, type Shot, direct } from '../../model/overlay/director';
import { KINDS, type Scene, inScene, sceneOf, tableOf, tablesOf } from '../../model/overlay/scene';
import type { Round } from '../../model/round';
import { useSharedRound } from '../usePicture';
import { BoardScene, MatchScene, MultiScene, ResultCard } from './scenes';
import { Nothing, SceneHeading } from './Nothing';
import { NextScene } from './NextScene';
import { StandingsScene, TickerScene } from './StandingsScene';

const THEME_KEPT = 'twinboard.overlay.theme';

export function OverlayPages({ path }: { readonly path: readonly string[] }) {
  const scene = sceneOf(path[0], window.location.search, localStorage.getItem(THEME_KEPT));
  useEffect(() => {
    const { classList } = document.documentElement;
    classList.add('overlay');
    if (scene !== null) {
      localStorage.setItem(THEME_KEPT, scene.theme);
      document.documentElement.dataset['theme'] = scene.theme;
      document.title = t('{kind} – overlay', { kind: coded(scene.kind) });
    }
    return () => classList.remove('overlay');
  }, []);
  if (scene === null) return <p class="note">{tx('There is no such scene: {KINDS}.', { KINDS: KINDS.join(', ') })}</p>;
  switch (scene.kind) {
    case 'standings':
      return <StandingsScene section={scene.section} />;
    case 'ticker':
      return <TickerScene section={scene.section} />;
    case 'next':
      return <NextScene section={scene.section} />;
    default:
      return <Live scene={scene} />;
  }
}

function Live({ scene }: { readonly scene: Scene }) {
  const { picture, time } = useSharedRound();
  const { round } = picture;
  return (
    <HallTime.Provider value={time}>
      <main class="scene" data-testid="scene" data-kind={scene.kind} data-live={String(picture.line.kind === 'live')}>
        {round === null ? (
          <Nothing>{t('No line to the server yet')}</Nothing>
        ) : (
          <>
            <SceneHeading />
            <Shown scene={scene} round={round} now_ms={time.now_ms} />
          </>
        )}
      </main>
    </HallTime.Provider>
  );
}

function Shown({ scene, round, now_ms }: { readonly scene: Scene; readonly round: Round; readonly now_ms: () => number | undefined }) {
  switch (scene.kind) {
    case 'multi':
      return <MultiScene tables={tablesOf(scene, round.tables)} />;
    case 'auto':
      return <Auto scene={scene} round={round} now_ms={now_ms} />;
    default: {
      const table = tableOf(scene, round.tables);
      if (table === null) return <Nothing>{scene.table === null ? t('No table is known yet') : t('There is no table {table}', { table: scene.table })}</Nothing>;
      if (scene.kind === 'board') return <BoardScene table={table} board={scene.board} />;
      return scene.kind === 'result' ? <ResultCard table={table} /> : <MatchScene table={table} caption="" />;
    }
  }
}

/** The table worth showing, by the automatic director. */
function Auto({ scene, round, now_ms }: { readonly scene: Scene; readonly round: Round; readonly now_ms: () => number | undefined }) {
  const [shot, setShot] = useState<Shot | null>(null);
  useEffect(() => {
    const look = () => setShot((before) => direct(before, inScene(scene, round.tables), now_ms() ?? round.now_ms, round.clock_rate));
    look();
    const timer = window.setInterval(look, LOOK_EVERY_MS);
    return () => window.clearInterval(timer);
  }, [round, scene.section]);
  const table = round.tables.find((one) => one.table === shot?.table);
  if (table === undefined || shot === null) return <Nothing>{t('No match is played now')}</Nothing>;
  return <MatchScene key={table.table} table={table} caption={shot.reason} />;
}
