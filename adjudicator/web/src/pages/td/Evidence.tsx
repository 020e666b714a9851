/** The evidence: the seconds around a ply as the sensors told them, beside the ply that is believed. */
import '../../style/evidence.css';
import { useEffect, useState } from 'preact/hooks';
import { t, tx } from '../../language/td';
import { get } from '../../live/td/server';
import { type Clip, boardsOf, clip, events, sensedAt } from '../../model/td/evidence';
import type { DirectorMatch } from '../../model/td/wire';
import type { BoardId, Ply } from '../../model/wire';

/** So much is shown before the ply was completed, and after. */
const BEFORE_US = 6_000_000;
const AFTER_US = 3_000_000;
const STEP_MS = 40;

interface Props {
  readonly match: DirectorMatch;
  readonly ply: Ply;
  readonly ask: (from_us: number, to_us: number) => void;
}

export function Evidence({ match, ply, ask }: Props) {
  const [shown, setShown] = useState<Clip | null>(null);
  const [asked, setAsked] = useState(false);
  const t_us = ply.t_ms * 1000;
  const found = match.clips.findLast((one) => one.from_us <= t_us && t_us <= one.to_us);
  const id = match.shown.table.match ?? '';
  useEffect(() => {
    if (found === undefined) return;
    get(`/api/v1/td/matches/${encodeURIComponent(id)}/clips/${found.act}`, clip).then(setShown, () => setShown(null));
  }, [found?.act]);
  if (shown === null) {
    const wish = () => {
      setAsked(true);
      ask(Math.max(0, t_us - BEFORE_US), t_us + AFTER_US);
    };
    return (
      <p>
        <button data-testid="ask-evidence" disabled={asked} onClick={wish}>
          {asked ? t('Asking the hub…') : t('Sensor readings')}
        </button>
      </p>
    );
  }
  return <Shown shown={shown} ply={ply} t_us={t_us} />;
}

function Shown({ shown, ply, t_us }: { readonly shown: Clip; readonly ply: Ply; readonly t_us: number }) {
  const [now_us, setNow] = useState(shown.from_us);
  const [speed, setSpeed] = useState(0);
  useEffect(() => {
    if (speed === 0) return;
    const timer = window.setInterval(() => setNow((at) => Math.min(shown.to_us, at + STEP_MS * 1000 * speed)), STEP_MS);
    return () => window.clearInterval(timer);
  }, [speed, shown]);
  useEffect(() => {
    if (now_us >= shown.to_us) setSpeed(0);
  }, [now_us, shown]);
  const play = (wanted: number) => {
    if (now_us >= shown.to_us) setNow(shown.from_us);
    setSpeed(speed === wanted ? 0 : wanted);
  };
  const seconds = (at: number) => `${((at - t_us) / 1_000_000).toFixed(1).replace('-', '−')} s`;
  return (
    <section class="evidence" data-testid="evidence">
      <h2>
        {tx('Sensor readings around {number}. {san}', { number: ply.number, san: ply.san })}
      </h2>
      <div class="sensed">
        {boardsOf(shown).map((board) => (
          <SensedBoard key={board} shown={shown} board={board} now_us={now_us} />
        ))}
      </div>
      <label>
        {tx('{seconds} from the end of the ply', { seconds: seconds(now_us) })}
        <input type="range" min={shown.from_us} max={shown.to_us} step={10_000} value={now_us} onInput={(event) => setNow(Number(event.currentTarget.value))} />
      </label>
      <div class="decisions">
        <button aria-pressed={speed === 1} onClick={() => play(1)}>{speed === 1 ? t('Stop') : t('Play')}</button>
        <button aria-pressed={speed === 0.25} onClick={() => play(0.25)}>{speed === 0.25 ? t('Stop') : t('Play ¼×')}</button>
      </div>
      <ol class="told">
        {events(shown).map((one, index) => (
          <li key={index} data-now={String(one.t_us <= now_us && now_us - one.t_us < 700_000)}>
            <button onClick={() => setNow(one.t_us)}>{seconds(one.t_us)}</button> {one.words}
          </li>
        ))}
      </ol>
    </section>
  );
}

function SensedBoard({ shown, board, now_us }: { readonly shown: Clip; readonly board: BoardId; readonly now_us: number }) {
  const { occupied, lit, pressed, running, hands } = sensedAt(shown, board, now_us);
  // White sits below on A and above on B, as on the table.
  const ranks = board === 'A' ? [7, 6, 5, 4, 3, 2, 1, 0] : [0, 1, 2, 3, 4, 5, 6, 7];
  const files = board === 'A' ? [0, 1, 2, 3, 4, 5, 6, 7] : [7, 6, 5, 4, 3, 2, 1, 0];
  const squares = ranks.flatMap((rank) => files.map((file) => rank * 8 + file));
  const words = [pressed === null ? '' : t('{side} pressed', { side: pressed === 'white' ? t('White') : t('Black') }), hands.length === 0 ? '' : t('hand at the clock')];
  return (
    <figure>
      <div class="sensed-squares" role="img" aria-label={t('Board {board}: {n} squares occupied', { board, n: occupied?.filter(Boolean).length ?? t('no') })}>
        {squares.map((square) => (
          <i key={square} data-on={String(occupied?.[square] ?? false)} data-lit={String(lit.has(square))} data-dark={String((square + (square >> 3)) % 2 === 0)} />
        ))}
      </div>
      <figcaption>
        {board}
        {running !== null && t(' · {side}’s time runs', { side: running === 'white' ? t('White') : t('Black') })}
        {words.filter(Boolean).map((word) => ` · ${word}`)}
      </figcaption>
    </figure>
  );
}
