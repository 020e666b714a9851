/** The ways to go, the same on every page of the directors. */
import { Language } from '../../components/Language';
import { t } from '../../language/td';
import type { Me } from '../../model/td/wire';

interface Way {
  readonly path: string;
  readonly words: string;
  /** For the chief alone. */
  readonly chief?: true;
}

const WAYS: readonly Way[] = [
  { path: '/td', words: t('Open items') },
  { path: '/td/round', words: t('Round') },
  { path: '/td/event', words: t('Event') },
  { path: '/td/families', words: t('Families'), chief: true },
  { path: '/td/report', words: t('Report') },
  { path: '/td/hubs', words: t('Hubs'), chief: true },
  { path: '/td/screens', words: t('Screens') },
  { path: '/td/stream', words: t('Stream') },
  { path: '/td/staff', words: t('People'), chief: true },
  { path: '/', words: t('Public') },
];

export function TdMenu({ me, open = 0 }: { readonly me: Me; readonly open?: number }) {
  const here = window.location.pathname.replace(/\/$/, '') || '/';
  return (
    <nav class="td-nav" aria-label={t('Directors\' pages')}>
      {WAYS.filter((way) => way.chief !== true || me.rank === 'chief').map(({ path, words }) => (
        <a key={path} href={path} aria-current={path === here ? 'page' : undefined}>
          {words}
          {path === '/td' && open > 0 && ` (${open})`}
        </a>
      ))}
      <Language />
    </nav>
  );
}
