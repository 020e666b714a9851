/** The controls with which a match is walked through, and the way back to what happens now. */
import { useEffect } from 'preact/hooks';
import { t } from '../language/language';

interface Props {
  readonly index: number;
  readonly total: number;
  readonly live: boolean;
  /** True if the match is still played, so that there is a present to return to. */
  readonly playing: boolean;
  readonly step: (by: number) => void;
  readonly toLive: () => void;
}

export function Walk({ index, total, live, playing, step, toLive }: Props) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (event.target instanceof HTMLInputElement) return;
      if (event.key === 'ArrowLeft') step(-1);
      else if (event.key === 'ArrowRight') step(1);
      else if (event.key === 'Home') step(-total - 1);
      else if (event.key === 'End') toLive();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [step, toLive, total]);

  const back = index < 0;
  return (
    <nav class="walk" aria-label={t('Walk through the moves')}>
      <button type="button" data-testid="first" aria-label={t('To the start')} disabled={back} onClick={() => step(-total - 1)}>
        <Arrow d="M3 2h2.500v12H3zM13 2v12L6.500 8z" />
      </button>
      <button type="button" data-testid="previous" aria-label={t('One move back')} disabled={back} onClick={() => step(-1)}>
        <Arrow d="M11.500 2v12L4 8z" />
      </button>
      <button type="button" data-testid="next" aria-label={t('One move on')} disabled={live} onClick={() => step(1)}>
        <Arrow d="M4.500 2v12L12 8z" />
      </button>
      <button type="button" class="to-live" data-testid="to-live" data-live={String(live)} disabled={live} onClick={toLive}>
        {live ? t('Latest') : playing ? t('Back to live') : t('To the end')}
        {!live && <span class="behind">{total - 1 - index > 0 ? t('{total} on', { total: total - 1 - index }) : ''}</span>}
      </button>
    </nav>
  );
}

function Arrow({ d }: { readonly d: string }) {
  return (
    <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
      <path d={d} fill="currentColor" />
    </svg>
  );
}
