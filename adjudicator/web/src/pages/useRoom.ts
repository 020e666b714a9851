/** Space of the window for an element: from where it begins to the window's edges, without its padding. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Room {
  readonly width: number;
  readonly height: number;
}

export function useRoom() {
  const room = useRef<HTMLElement>(null);
  const [size, setSize] = useState<Room>({ width: window.innerWidth, height: window.innerHeight });
  useLayoutEffect(() => {
    const measure = () => {
      if (room.current === null) return;
      const style = getComputedStyle(room.current);
      const around = (sides: readonly ('Top' | 'Right' | 'Bottom' | 'Left')[]) =>
        sides.reduce((sum, side) => sum + parseFloat(style[`padding${side}`]) + parseFloat(style[`margin${side}`]), 0);
      const top_px = room.current.getBoundingClientRect().top + window.scrollY - parseFloat(style.marginTop);
      const parent_px = room.current.parentElement?.clientWidth ?? window.innerWidth;
      const width = parent_px - around(['Left', 'Right']);
      const height = window.innerHeight - top_px - around(['Top', 'Bottom']);
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    };
    measure();
    // Content above it may change its height without the window doing so.
    const observer = new ResizeObserver(measure);
    observer.observe(document.documentElement);
    if (room.current?.previousElementSibling) observer.observe(room.current.previousElementSibling);
    window.addEventListener('resize', measure);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', measure);
    };
  }, []);
  return { room, size };
}
