/** State of the page's content: live, delayed by a fixed time, or stale since a time. */
import { useEffect, useState } from 'preact/hooks';
import { language, t, tx } from '../language/language';
import { onTick } from '../live/ticker';
import { type Line, lasted } from '../model/line';

interface Props {
  readonly line: Line;
  /** Smallest and largest lag of the content behind the boards, seconds. */
  readonly delays: readonly [number, number];
}

export function LineState({ line, delays: [least_s, most_s] }: Props) {
  const kind = line.kind === 'live' && most_s > 0 ? 'delayed' : line.kind;
  return (
    <span class="line-state" data-testid="line" data-line={kind} role="status">
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {SHAPES[kind]}
      </svg>
      {kind === 'live' && t('Live')}
      {kind === 'delayed' && (least_s < most_s ? t('Delayed by {least} to {most}', { least: lasted(least_s * 1000), most: lasted(most_s * 1000) }) : t('Delayed by {most}', { most: lasted(most_s * 1000) }))}
      {kind === 'opening' && t('Connecting')}
      {line.kind === 'stale' && <StaleSince since_ms={line.since_ms} />}
    </span>
  );
}

const SHAPES = {
  live: <circle cx="8" cy="8" r="5.500" fill="currentColor" />,
  delayed: <path d="M8 1.500a6.500 6.500 0 1 0 .01 0zM8 4v4.300l3 1.900" fill="none" stroke="currentColor" stroke-width="2" />,
  opening: <circle cx="8" cy="8" r="5.500" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="3 2.500" />,
  stale: <path d="M8 1l7.500 14H.500zM7.100 6v4.500h1.800V6zM7.100 11.500v1.800h1.800v-1.800z" fill="currentColor" fill-rule="evenodd" />,
};

function StaleSince({ since_ms }: { readonly since_ms: number }) {
  const [now_ms, setNow] = useState(Date.now());
  useEffect(() => onTick(() => setNow((old) => (Date.now() - old >= 1000 ? Date.now() : old))), []);
  const at = new Date(since_ms).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
  return (
    <>
      {tx('Stale since {at}', { at })}
      <span class="lasted" aria-hidden="true">
        ({lasted(now_ms - since_ms)})
      </span>
    </>
  );
}
