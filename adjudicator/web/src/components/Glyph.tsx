/** A piece outside a board, drawn like those on it. */
import type { Role } from '../model/placement';
import type { Side } from '../model/wire';

export function Glyph({ role, side }: { readonly role: Role; readonly side: Side }) {
  return (
    <span class="glyph cg-wrap" aria-hidden="true">
      <piece class={`${side} ${role}`} />
    </span>
  );
}
