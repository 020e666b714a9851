/** A line for the person who sets a scene up: it works, and has nothing to show yet. On the air, in OBS, the picture stays empty. */
import type { ComponentChildren } from 'preact';
import { tx } from '../../language/language';

export function Nothing({ children }: { readonly children: ComponentChildren }) {
  if ('obsstudio' in window) return null;
  return <p class="scene-empty" data-testid="nothing">{tx('{children}. OBS shows nothing here meanwhile.', { children })}</p>;
}
