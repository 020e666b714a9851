/**
 * One board, large, with chessground. Over it lie the rings of uncertain pieces, the sign of a
 * revision and, on touch, the candidates of a piece. Viewers look; no piece can be moved here.
 */
import { Chessground } from 'chessground';
import type { Api } from 'chessground/api';
import type { Key } from 'chessground/types';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { coded, t } from '../language/language';
import { doubts, nearestDoubt } from '../model/doubt';
import { type Color, parsePlacement, squareOffset } from '../model/placement';
import type { BoardView } from '../model/walk';
import type { BoardId, Uncertain } from '../model/wire';
import { Candidates } from './Candidates';

interface Props {
  readonly board: BoardId;
  readonly view: BoardView;
  /** Squares that a revision has just changed, and which revision that was. */
  readonly revised: readonly string[];
  readonly revision: number;
}

const MOVE_MS = 180;
/** Half a finger: a touch this near to an uncertain piece means it. */
const REACH_PX = 24;

const stillness = window.matchMedia('(prefers-reduced-motion: reduce)');

export function Board({ board, view, revised, revision }: Props) {
  const bottom: Color = board === 'A' ? 'white' : 'black';
  const unsure = doubts(view.uncertain);
  const over = useRef<HTMLDivElement>(null);
  const ground = useGround(view, bottom, unsure);
  const [asked, setAsked] = useState<string | null>(null);
  const shown = asked === null ? undefined : unsure.get(asked);
  useDismissal(asked !== null, over, () => setAsked(null));
  useReturn(asked, over);

  const touch = (event: MouseEvent) => {
    const box = over.current?.getBoundingClientRect();
    if (box === undefined || (event.target as Element).closest('.candidates')) return;
    const size = box.width / 8;
    const centres = [...unsure.keys()].map((square) => {
      const { x, y } = squareOffset(square, bottom);
      return { square, x: (x + 0.5) * size, y: (y + 0.5) * size };
    });
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    setAsked(nearestDoubt(centres, at, Math.max(REACH_PX, size / 2)) ?? null);
  };

  return (
    <div
      class="board"
      data-testid={`board-${board}`}
      data-board={board}
      data-fen={view.fen}
      data-turn={view.turn}
      data-last={view.last.join(' ')}
      data-check={view.check ?? ''}
      onClick={touch}
    >
      <div ref={ground} role="img" aria-label={describe(board, view)} />
      <div class="over" ref={over}>
        {[...unsure.values()].map((entry) => (
          <DoubtRing key={entry.square} board={board} entry={entry} bottom={bottom} />
        ))}
        {revised.map((square) => (
          <i key={`${revision} ${square}`} class="square revised" data-revised={square} style={at(square, bottom)} />
        ))}
        {shown !== undefined && (
          <Candidates
            board={board}
            entry={shown}
            side={parsePlacement(view.fen)?.get(shown.square)?.color ?? 'white'}
            bottom={bottom}
            close={() => setAsked(null)}
          />
        )}
      </div>
    </div>
  );
}

function at(square: string, bottom: Color) {
  const { x, y } = squareOffset(square, bottom);
  return { left: `${x * 12.5}%`, top: `${y * 12.5}%` };
}

function DoubtRing(props: { readonly board: BoardId; readonly entry: Uncertain; readonly bottom: Color }) {
  const { board, entry, bottom } = props;
  return (
    <button
      type="button"
      class="square doubt"
      data-doubt={entry.square}
      style={at(entry.square, bottom)}
      aria-label={t('Uncertain piece on {square} of board {board}: show the candidates', { square: entry.square, board })}
    >
      <svg viewBox="0 0 100 100" aria-hidden="true">
        <circle class="halo" cx="50" cy="50" r="44" pathLength="96" />
        <circle class="dots" cx="50" cy="50" r="44" pathLength="96" />
      </svg>
    </button>
  );
}

/** Keeps a chessground at what the view says. */
function useGround(view: BoardView, bottom: Color, unsure: ReadonlyMap<string, Uncertain>) {
  const element = useRef<HTMLDivElement>(null);
  const api = useRef<Api | null>(null);
  const unsureNow = useRef(unsure);
  unsureNow.current = unsure;

  useLayoutEffect(() => {
    if (element.current === null) return undefined;
    const ground = Chessground(element.current, {
      orientation: bottom,
      viewOnly: true,
      coordinates: true,
      disableContextMenu: false,
      drawable: { enabled: false, visible: false },
    });
    api.current = ground;
    // chessground makes and reuses piece elements as it draws: see to their paleness after each time.
    const squares = element.current.querySelector('cg-board');
    const pale = new MutationObserver(() => markUnsure(squares, unsureNow.current));
    if (squares !== null) pale.observe(squares, { childList: true, subtree: true, attributeFilter: ['style'] });
    return () => {
      pale.disconnect();
      ground.destroy();
    };
  }, [bottom]);

  useLayoutEffect(() => {
    api.current?.set({
      fen: view.fen,
      turnColor: view.turn,
      lastMove: view.last as Key[],
      check: view.check ?? false,
      animation: { enabled: !stillness.matches, duration: MOVE_MS },
    });
    markUnsure(element.current?.querySelector('cg-board') ?? null, unsure);
  }, [view.fen, view.turn, view.last.join(), view.check, [...unsure.keys()].join()]);

  return element;
}

function markUnsure(squares: Element | null, unsure: ReadonlyMap<string, Uncertain>): void {
  for (const piece of squares?.querySelectorAll('piece') ?? []) {
    const key = (piece as Element & { cgKey?: string }).cgKey;
    piece.classList.toggle('unsure', key !== undefined && unsure.has(key) && !piece.classList.contains('fading'));
  }
}

/** Returns the focus from the candidates to the ring once they are closed, for keyboard users. */
function useReturn(asked: string | null, inside: { readonly current: Element | null }): void {
  const before = useRef<string | null>(null);
  useEffect(() => {
    const ring = before.current === null ? null : inside.current?.querySelector<HTMLElement>(`[data-doubt="${before.current}"]`);
    const isLost = document.activeElement === document.body || document.activeElement === null;
    if (asked === null && isLost) ring?.focus({ preventScroll: true });
    before.current = asked;
  }, [asked]);
}

/** Escape, or a touch anywhere else, takes the candidates away. */
function useDismissal(open: boolean, inside: { readonly current: Element | null }, close: () => void): void {
  // A layout effect runs before the first painting. An effect runs after it: a quick key would find no listener.
  useLayoutEffect(() => {
    if (!open) return undefined;
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && close();
    const onTouch = (event: Event) => {
      if (!inside.current?.parentElement?.contains(event.target as Node)) close();
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', onTouch);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('pointerdown', onTouch);
    };
  }, [open]);
}

function describe(board: BoardId, view: BoardView): string {
  const turn = t('{side} to move', { side: view.turn === 'white' ? t('White') : t('Black') });
  const check = view.state === 'mate' ? t(', mate') : view.check === null ? '' : t(', check');
  const pieces = [...(parsePlacement(view.fen) ?? [])];
  const of = (color: Color) =>
    pieces.flatMap(([square, piece]) => (piece.color === color ? [`${coded(piece.role)} ${square}`] : [])).join(', ');
  return t('Board {board}, {turn}{check}. White: {white}. Black: {black}.', { board, turn, check, white: of('white'), black: of('black') });
}
