/** The line at the top of the directors' pages: the present page, waiting acts, the connection, and calls. */
import { useEffect, useState } from 'preact/hooks';
import { t } from '../../language/td';
import { onTick } from '../../live/ticker';
import { ago, callsFor } from '../../model/td/needs';
import { otherRelease, waitingWords } from '../../model/td/queue';
import type { Me } from '../../model/td/wire';
import { TdMenu } from './TdMenu';
import { useCalls } from './useCalls';
import type { Desk } from './useDesk';

interface Props {
  readonly title: string;
  readonly me: Me;
  readonly desk: Desk;
  /** The page is the list, which shows itself what has come. */
  readonly isList?: boolean;
}

export function TdBar({ title, me, desk, isList = false }: Props) {
  const called = useCalls(me, desk);
  const open = callsFor(me, desk.needs).length;
  return (
    <header class="bar td-bar">
      <h1 tabIndex={-1}>{title}</h1>
      <span class="spread" />
      <TdMenu me={me} open={open} />
      {desk.waiting > 0 && <strong class="waiting" data-testid="waiting">{waitingWords(desk.waiting)}</strong>}
      {desk.isOtherRelease && (
        <strong class="waiting" role="alert" data-testid="other-release">
          {otherRelease} <button onClick={() => location.reload()}>{t('Load again')}</button>
        </strong>
      )}
      <Heard desk={desk} />
      <p class={isList ? 'unseen' : 'called'} role="status" data-testid="called">{called.said}</p>
      <i class="alarm" data-testid="alarm" data-alarm={called.alarm ?? 'none'} />
    </header>
  );
}

function Heard({ desk }: { readonly desk: Desk }) {
  const [now_ms, setNow] = useState(Date.now());
  useEffect(() => onTick(() => setNow((old) => (Date.now() - old >= 1000 ? Date.now() : old))), []);
  return (
    <span class="line-state" data-testid="line" data-line={desk.live ? 'live' : 'stale'} role="status">
      {desk.live ? t('● Online, ') : t('▲ Offline, last update ')}
      <span aria-hidden="true">{ago(desk.heard_ms, now_ms)}</span>
    </span>
  );
}

/** Outcomes of the last acts. */
export function Outcomes({ desk }: { readonly desk: Desk }) {
  const [last] = desk.outcomes;
  return (
    <p class={`outcome${last?.refusal == null ? '' : ' refused'}`} role="status" data-testid="outcome">
      {last !== undefined && (last.refusal === null ? t('Done: {label}', { label: last.label }) : `${last.waits === true ? t('Not done yet') : t('Not done')}: ${last.label}. ${last.refusal}`)}
    </p>
  );
}
