/** A line for the person who sets a scene up: it works, and has nothing to show yet. On the air, in OBS, the picture stays empty. */
import type { ComponentChildren } from 'preact';
import { tx } from '../../language/language';

/** Heading of a scene for screen readers: a picture has none that is seen. */
export const SceneHeading = () => <h1 class="unseen">{document.title}</h1>;

export function Nothing({ children }: { readonly children: ComponentChildren }) {
  if ('obsstudio' in window) return null;
  return (
    <>
      <SceneHeading />
      <p class="scene-empty" data-testid="nothing">{tx('{children}. OBS shows nothing here meanwhile.', { children })}</p>
    </>
  );
}
