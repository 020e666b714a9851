/**
 * The event stream. The browser's `EventSource` gives up on some failures and never notices a line
 * that has gone silent, so each connection is used once: when it breaks or falls silent, a new one
 * is opened that resumes after the last event that came.
 */
import { isSilent, retryAfter_ms } from '../model/line';

export interface StreamEvents {
  /** An event with its id; `name` is `table`, `plies`, `event`, `beat` or `reset`. Beats have no id. */
  event(name: string, id: number | undefined, data: string): void;
  /** The connection is gone; a new one will be tried. */
  broken(): void;
}

const EVENT_NAMES = ['table', 'plies', 'event', 'beat', 'reset'] as const;
const WATCH_EVERY_MS = 1_000;

export class Stream {
  private source: EventSource | undefined;
  private retry: number | undefined;
  private attempt = 0;
  private heard_ms = performance.now();
  private readonly watch: number;

  constructor(
    private readonly match: string | null,
    private last_event_id: number,
    private readonly events: StreamEvents,
  ) {
    this.watch = window.setInterval(() => this.checkSilence(), WATCH_EVERY_MS);
    window.addEventListener('online', this.hurry);
    document.addEventListener('visibilitychange', this.hurry);
    this.open();
  }

  close(): void {
    this.drop();
    window.clearInterval(this.watch);
    window.clearTimeout(this.retry);
    window.removeEventListener('online', this.hurry);
    document.removeEventListener('visibilitychange', this.hurry);
  }

  private open(): void {
    this.drop();
    const query = new URLSearchParams({ last_event_id: String(this.last_event_id) });
    if (this.match !== null) query.set('match', this.match);
    const source = new EventSource(`/api/v1/live?${query}`);
    this.source = source;
    this.heard_ms = performance.now();
    for (const name of EVENT_NAMES) {
      source.addEventListener(name, (event: MessageEvent<string>) => this.receive(name, event));
    }
    source.onerror = () => this.fail();
  }

  private receive(name: string, event: MessageEvent<string>): void {
    this.heard_ms = performance.now();
    this.attempt = 0;
    // A beat repeats the id of the event before it, because the browser keeps it.
    const id = name === 'beat' || event.lastEventId === '' ? undefined : Number(event.lastEventId);
    if (id !== undefined && Number.isSafeInteger(id)) this.last_event_id = id;
    this.events.event(name, id, event.data);
  }

  private checkSilence(): void {
    if (this.source !== undefined && isSilent(performance.now() - this.heard_ms)) this.fail();
  }

  private fail(): void {
    this.drop();
    this.events.broken();
    window.clearTimeout(this.retry);
    this.retry = window.setTimeout(() => this.open(), retryAfter_ms(this.attempt, Math.random()));
    this.attempt += 1;
  }

  /** The network is back, or somebody looks at the page again: no reason to wait any longer. */
  private readonly hurry = (): void => {
    if (document.visibilityState !== 'visible') return;
    this.checkSilence();
    if (this.source !== undefined) return;
    window.clearTimeout(this.retry);
    this.open();
  };

  private drop(): void {
    this.source?.close();
    this.source = undefined;
  }
}
