/** chessground draws pieces and squares as elements of its own; so do the small boards here. */
import type { JSX } from 'preact';

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      piece: JSX.HTMLAttributes<HTMLElement>;
    }
  }
}
