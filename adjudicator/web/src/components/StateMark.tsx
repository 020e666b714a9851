/** A table's state: a shape for the eye, words for certainty, colour only on top. */
import type { JSX } from 'preact';
import type { StateKind, TableState } from '../model/tablestate';

const SHAPES: Readonly<Record<StateKind, JSX.Element>> = {
  waiting: <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="2.5 3" />,
  'set-up': <path d="M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3z" fill="currentColor" />,
  ready: <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2.4" />,
  playing: <path d="M4 2l10 6-10 6z" fill="currentColor" />,
  paused: <path d="M3 2h3.600v12H3zM9.400 2H13v12H9.400z" fill="currentColor" />,
  check: <path d="M8 1l7 7-7 7-7-7zM7.100 4v5h1.800V4zM7.100 10.200v1.800h1.800v-1.800z" fill="currentColor" fill-rule="evenodd" />,
  mate: <path d="M4 1l-1 14M13 1l-1 14M1 5.500h14M1 10.500h14" fill="none" stroke="currentColor" stroke-width="2" />,
  flag: <path d="M3 1v14M3 2h10l-3 3.500L13 9H3" fill="currentColor" stroke="currentColor" stroke-width="2" />,
  ended: <path d="M2.500 2.500h11v11h-11z" fill="currentColor" />,
  lost: <path d="M3 3l10 10M13 3L3 13" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" />,
};

export function StateMark({ state }: { readonly state: TableState }) {
  return (
    <span class="state-mark" data-testid="state" data-kind={state.kind} data-over={String(state.over ?? false)}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {SHAPES[state.kind]}
      </svg>
      {state.words}
    </span>
  );
}
