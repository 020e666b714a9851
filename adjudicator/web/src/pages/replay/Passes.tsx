/** A line from where a piece was taken to where the partner has dropped it, over both boards. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Pass } from '../../model/passes';
import { squareOffset } from '../../model/placement';

interface Line {
  readonly key: string;
  readonly ends: readonly [number, number, number, number];
}

export function Passes({ passes }: { readonly passes: readonly Pass[] }) {
  const over = useRef<SVGSVGElement>(null);
  const [lines, setLines] = useState<readonly Line[]>([]);
  const wanted = passes.map(({ capture, drop }) => `${capture}-${drop}`).join();
  useLayoutEffect(() => {
    const room = over.current?.parentElement;
    if (room === null || room === undefined) return undefined;
    const measure = () => setLines(passes.flatMap((pass) => lineOf(room, pass)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(room);
    return () => observer.disconnect();
  }, [wanted]);
  return (
    <svg ref={over} class="passes" aria-hidden="true" data-passes={wanted}>
      {lines.map(({ key, ends: [x1, y1, x2, y2] }) => (
        <g key={key}>
          <line x1={x1} y1={y1} x2={x2} y2={y2} />
          <circle cx={x2} cy={y2} r="6" />
        </g>
      ))}
    </svg>
  );
}

function lineOf(room: Element, { capture, drop, from, to }: Pass): Line[] {
  const box = room.getBoundingClientRect();
  const [start, end] = [from, to].map(({ board, square }) => {
    const squares = room.querySelector(`[data-board="${board}"]`)?.getBoundingClientRect();
    if (squares === undefined) return null;
    const { x, y } = squareOffset(square, board === 'A' ? 'white' : 'black');
    const size = squares.width / 8;
    return [squares.left - box.left + (x + 0.5) * size, squares.top - box.top + (y + 0.5) * size] as const;
  });
  return start == null || end == null ? [] : [{ key: `${capture}-${drop}`, ends: [...start, ...end] }];
}
