/** The line at the top of the directors' pages: where one is, what waits, and whether the server is heard. */
import { useEffect, useState } from 'preact/hooks';
import { onTick } from '../../live/ticker';
import { ago } from '../../model/td/needs';
import { waitingWords } from '../../model/td/queue';
import type { Desk } from './useDesk';

export function TdBar({ title, desk, children }: { readonly title: string; readonly desk: Desk; readonly children?: preact.ComponentChildren }) {
  return (
    <header class="bar td-bar">
      <h1 tabIndex={-1}>{title}</h1>
      <span class="spread" />
      {children}
      {desk.waiting > 0 && <strong class="waiting" data-testid="waiting">{waitingWords(desk.waiting)}</strong>}
      <Heard desk={desk} />
    </header>
  );
}

function Heard({ desk }: { readonly desk: Desk }) {
  const [now_ms, setNow] = useState(Date.now());
  useEffect(() => onTick(() => setNow((old) => (Date.now() - old >= 1000 ? Date.now() : old))), []);
  return (
    <span class="line-state" data-testid="line" data-line={desk.live ? 'live' : 'stale'} role="status">
      {desk.live ? '● Heard ' : '▲ No line, heard '}
      <span aria-hidden="true">{ago(desk.heard_ms, now_ms)}</span>
    </span>
  );
}

/** What came of the last acts. */
export function Outcomes({ desk }: { readonly desk: Desk }) {
  const [last] = desk.outcomes;
  return (
    <p class={`outcome${last?.refusal == null ? '' : ' refused'}`} role="status" data-testid="outcome">
      {last !== undefined && (last.refusal === null ? `Done: ${last.label}` : `Not done: ${last.label}. ${last.refusal}`)}
    </p>
  );
}
