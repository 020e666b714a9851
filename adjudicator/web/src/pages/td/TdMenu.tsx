/** The ways to go, the same on every page of the directors. */
import type { Me } from '../../model/td/wire';

interface Way {
  readonly path: string;
  readonly words: string;
  /** For the chief alone. */
  readonly chief?: true;
}

const WAYS: readonly Way[] = [
  { path: '/td', words: 'Open items' },
  { path: '/td/round', words: 'Round' },
  { path: '/td/event', words: 'Event' },
  { path: '/td/families', words: 'Families', chief: true },
  { path: '/td/report', words: 'Report' },
  { path: '/td/screens', words: 'Screens' },
  { path: '/td/stream', words: 'Stream' },
  { path: '/td/staff', words: 'People', chief: true },
  { path: '/', words: 'Public' },
];

export function TdMenu({ me, open = 0 }: { readonly me: Me; readonly open?: number }) {
  const here = window.location.pathname.replace(/\/$/, '') || '/';
  return (
    <nav class="td-nav" aria-label="Directors' pages">
      {WAYS.filter((way) => way.chief !== true || me.rank === 'chief').map(({ path, words }) => (
        <a key={path} href={path} aria-current={path === here ? 'page' : undefined}>
          {words}
          {path === '/td' && open > 0 && ` (${open})`}
        </a>
      ))}
    </nav>
  );
}
