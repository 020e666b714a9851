/** A section's standings on the stream: a screenful at a time. */
import { useEffect, useState } from 'preact/hooks';
import { fetchSnapshot } from '../../live/api';
import { list, object, string } from '../../model/decode';
import { type StandingsSheet, standingsSheet } from '../../model/td/wire';
import { useSharedRound } from '../usePicture';

const ROWS = 10;
const TURN_EVERY_MS = 10_000;
const AGAIN_MS = 5_000;

const eventOf = object({ name: string, sections: list(object({ section: string })) });

export function StandingsScene({ section }: { readonly section: string | null }) {
  const { picture } = useSharedRound();
  const live = String(picture.line.kind === 'live');
  const [sheet, setSheet] = useState<StandingsSheet | null>(null);
  const [count, setCount] = useState(0);
  const [turned, setTurned] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => setTurned((old) => old + 1), TURN_EVERY_MS);
    return () => window.clearInterval(timer);
  }, []);
  useEffect(() => {
    let timer: number | undefined;
    const look = async () => {
      const event = await fetchSnapshot('/api/v1/event', eventOf);
      const name = section ?? event.sections[0]?.section;
      if (name !== undefined) setSheet(await fetchSnapshot(`/api/v1/standings?section=${encodeURIComponent(name)}`, standingsSheet));
    };
    look().catch(() => (timer = window.setTimeout(() => setCount((old) => old + 1), AGAIN_MS)));
    return () => window.clearTimeout(timer);
  }, [section, count, picture.event_changes]);
  if (sheet === null) return <main class="scene" data-testid="scene" data-kind="standings" data-live={live} />;
  const { rows, provisional, after_round } = sheet.standings;
  const pages = Math.max(1, Math.ceil(rows.length / ROWS));
  const from = (turned % pages) * ROWS;
  return (
    <main class="scene" data-testid="scene" data-kind="standings" data-live={live}>
      <section class="scene-card scene-standings">
        <h1>
          {sheet.section} <small>after round {after_round}{provisional && ', provisional'}</small>
        </h1>
        <ol>
          {rows.slice(from, from + ROWS).map((row) => (
            <li key={row.number}>
              <span>{row.rank}</span>
              <strong>{row.name}</strong>
              <span>{row.score}</span>
            </li>
          ))}
        </ol>
      </section>
    </main>
  );
}
