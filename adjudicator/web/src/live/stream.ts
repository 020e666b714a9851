/**
 * The event stream. The browser's `EventSource` gives up on some failures and never notices a line
 * that has gone silent, so each connection is used once: when it breaks or falls silent, a new one
 * is opened that resumes after the last event that came.
 */
import { isSilent, RESTART_MAX_MS, restartRetryAfter_ms, retryAfter_ms } from '../model/line';

export interface StreamEvents {
  /** `name` is `table`, `patch`, `plies`, `event`, `beat` or `reset`. */
  event(name: string, data: string): void;
  /** Called when the connection is lost; a new one will be tried. */
  broken(): void;
}

const EVENT_NAMES = ['table', 'patch', 'plies', 'event', 'beat', 'reset'] as const;
/** The server stops, and is expected back at once. */
const RESTART = 'restart';
const WATCH_EVERY_MS = 1_000;
/** Document of the reader; a worker has none. */
const PAGE = typeof document === 'undefined' ? undefined : document;

/** Position of a stream without events: the server sends everything. */
export const NOTHING_SEEN = '0';

export class Stream {
  private source: EventSource | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private attempt = 0;
  private heard_ms = performance.now();
  private restarts_until_ms = 0;
  private readonly watch: ReturnType<typeof setInterval>;

  constructor(
    private readonly match: string | null,
    private last_event_id: string,
    private readonly events: StreamEvents,
    private readonly retryMost_ms?: number,
  ) {
    this.watch = setInterval(() => this.checkSilence(), WATCH_EVERY_MS);
    self.addEventListener('online', this.hurry);
    PAGE?.addEventListener('visibilitychange', this.hurry);
    this.open();
  }

  close(): void {
    this.drop();
    clearInterval(this.watch);
    clearTimeout(this.retry);
    self.removeEventListener('online', this.hurry);
    PAGE?.removeEventListener('visibilitychange', this.hurry);
  }

  private open(): void {
    this.drop();
    const query = new URLSearchParams({ last_event_id: this.last_event_id, tables: 'patches' });
    if (this.match !== null) query.set('match', this.match);
    const source = new EventSource(`/api/v1/live?${query}`);
    this.source = source;
    this.heard_ms = performance.now();
    for (const name of EVENT_NAMES) {
      source.addEventListener(name, (event: MessageEvent<string>) => this.receive(name, event));
    }
    source.addEventListener(RESTART, () => {
      this.restarts_until_ms = performance.now() + RESTART_MAX_MS;
    });
    source.onerror = () => this.fail();
  }

  private receive(name: string, event: MessageEvent<string>): void {
    this.heard_ms = performance.now();
    this.attempt = 0;
    // A beat repeats the id of the event before it, because the browser keeps it.
    if (name !== 'beat' && event.lastEventId !== '') this.last_event_id = event.lastEventId;
    this.events.event(name, event.data);
  }

  private checkSilence(): void {
    if (this.source !== undefined && isSilent(performance.now() - this.heard_ms)) this.fail();
  }

  private fail(): void {
    this.drop();
    this.events.broken();
    clearTimeout(this.retry);
    const spread = Math.random();
    const isRestarting = performance.now() < this.restarts_until_ms;
    const wait_ms = isRestarting ? restartRetryAfter_ms(spread) : retryAfter_ms(this.attempt, spread, this.retryMost_ms);
    this.retry = setTimeout(() => this.open(), wait_ms);
    this.attempt += 1;
  }

  /** Reconnects at once when the network is back or the page is visible again. */
  private readonly hurry = (): void => {
    if (PAGE !== undefined && PAGE.visibilityState !== 'visible') return;
    this.checkSilence();
    if (this.source !== undefined) return;
    clearTimeout(this.retry);
    this.open();
  };

  private drop(): void {
    this.source?.close();
    this.source = undefined;
  }
}
