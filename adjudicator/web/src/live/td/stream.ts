/** The directors' stream: the list, and the match on the page. A connection that breaks or falls silent is opened again. */
import { DecodeError } from '../../model/decode';
import { isSilent, retryAfter_ms } from '../../model/line';
import { parseEvents } from '../../model/td/sse';
import { type DirectorMatch, type Need, directorMatch, needsEvent, tdBeat } from '../../model/td/wire';
import { headers } from './server';

export interface Heard {
  needs(needs: readonly Need[]): void;
  match(match: DirectorMatch): void;
  /** The server's time, whenever it says it. */
  beat(now_ms: number): void;
  /** Names of the other directors on this match. */
  others(names: readonly string[]): void;
  broken(): void;
  /** This device may not be here any more. */
  lost(): void;
  /** Called when messages are of another release. */
  otherRelease(): void;
}

const WATCH_EVERY_MS = 1_000;

export class TdStream {
  private abort: AbortController | undefined;
  private attempt = 0;
  private heard_ms = performance.now();
  private retry: number | undefined;
  private readonly watch: number;
  private isClosed = false;

  constructor(
    private readonly match: string | null,
    private readonly events: Heard,
  ) {
    this.watch = window.setInterval(() => {
      if (this.abort !== undefined && isSilent(performance.now() - this.heard_ms)) this.abort.abort();
    }, WATCH_EVERY_MS);
    window.addEventListener('online', this.hurry);
    void this.open();
  }

  close(): void {
    this.isClosed = true;
    this.abort?.abort();
    window.clearInterval(this.watch);
    window.clearTimeout(this.retry);
    window.removeEventListener('online', this.hurry);
  }

  private readonly hurry = (): void => {
    if (this.abort !== undefined) return;
    window.clearTimeout(this.retry);
    void this.open();
  };

  private async open(): Promise<void> {
    const abort = new AbortController();
    this.abort = abort;
    this.heard_ms = performance.now();
    try {
      const query = this.match === null ? '' : `?match=${encodeURIComponent(this.match)}`;
      const response = await fetch(`/api/v1/td/live${query}`, { headers: headers(), signal: abort.signal, cache: 'no-store' });
      if (response.status === 401 || response.status === 403) {
        this.events.lost();
        return this.close();
      }
      if (response.ok && response.body !== null) await this.read(response.body);
    } catch (error) {
      if (error instanceof DecodeError) {
        console.error(error);
        this.events.otherRelease();
      }
    }
    this.abort = undefined;
    if (this.isClosed) return;
    this.events.broken();
    this.retry = window.setTimeout(() => void this.open(), retryAfter_ms(this.attempt, Math.random()));
    this.attempt += 1;
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.heard_ms = performance.now();
      this.attempt = 0;
      const { events, rest } = parseEvents(text + decoder.decode(value, { stream: true }));
      text = rest;
      for (const { name, data } of events) this.receive(name, JSON.parse(data));
    }
  }

  private receive(name: string, data: unknown): void {
    if (name === 'needs') {
      const { now_ms, needs } = needsEvent(data, '');
      this.events.beat(now_ms);
      this.events.needs(needs);
    } else if (name === 'match') {
      this.events.match(directorMatch(data, ''));
    } else if (name === 'beat') {
      const { now_ms, others } = tdBeat(data, '');
      this.events.beat(now_ms);
      this.events.others(others);
    }
  }
}
