/**
 * Keeps a page's picture of the hall true: takes the snapshots, then every event after them, and
 * starts over from new snapshots whenever the two no longer fit together.
 */
import { type Note, note } from '../language/note';
import { DecodeError, type Decoder, object, string } from '../model/decode';
import { type Line, OPENING, broken, heard, retryAfter_ms } from '../model/line';
import { type Match, fromSnapshot, withPlies, withTable } from '../model/match';
import { ServerTime } from '../model/clock';
import { patched } from '../model/patch';
import { type Round, roundFromSnapshot, roundWithTable } from '../model/round';
import { type Table, beatEvent, matchSnapshot, pliesEvent, roundSnapshot, tableEvent } from '../model/wire';
import { FetchError, fetchSnapshot } from './api';
import { IS_MIRROR, LOOK_EVERY_MS, MIRROR_SILENCE_MAX_MS } from './mirror';
import { Stream } from './stream';

/** Subject of a page. A table leads to its current match. */
export type Subject =
  | { readonly kind: 'round' }
  | { readonly kind: 'match'; readonly match: string }
  | { readonly kind: 'table'; readonly table: string };

/** Complete content of a page; a new one replaces the old one as a whole. */
export interface Picture {
  readonly line: Line;
  readonly round: Round | null;
  readonly match: Match | null;
  /** Grows whenever sections, pairings or results have changed: what shows them asks for them again. */
  readonly event_changes: number;
  /** A failure that the reader has to know: no such match, an invalid message. */
  readonly note: Note | null;
}

/** Before anything is known. */
export const NO_PICTURE: Picture = { line: OPENING, round: null, match: null, event_changes: 0, note: null };

const tableName = object({ table: string });

/** A start that has held this long was a good one: the next failure is retried soon again. */
const STEADY_AFTER_MS = 15_000;

export class Follower {
  private readonly time = new ServerTime();
  private picture: Picture = NO_PICTURE;
  private stream: Stream | undefined;
  private heard_ms: number | undefined;
  private heard_steady_ms = 0;
  private attempt = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private started_ms = 0;
  /** Answers that belong to an earlier start are not for this one. */
  private start = 0;

  constructor(
    private readonly subject: Subject,
    private readonly changed: (picture: Picture) => void,
    private readonly retryMost_ms?: number,
  ) {
    void this.restart();
  }

  close(): void {
    this.start += 1;
    this.stream?.close();
    clearTimeout(this.retry);
  }

  /** Fetches the snapshots and follows from there. */
  private async restart(): Promise<void> {
    this.start += 1;
    const start = this.start;
    this.stream?.close();
    clearTimeout(this.retry);
    try {
      const round = roundFromSnapshot(await fetchSnapshot('/api/v1/round', roundSnapshot));
      if (start !== this.start) return;
      const id = matchOf(this.subject, round);
      const match = id === null ? null : await this.fetchMatch(id);
      if (start !== this.start) return;
      if (IS_MIRROR) {
        this.lookAgain(round, match);
        return;
      }
      this.hear(round.now_ms);
      this.started_ms = performance.now();
      const event_changes = this.picture.event_changes + 1;
      this.show({ round, match, event_changes, note: noteFor(this.subject, round), line: heard() });
      this.stream = new Stream(id, round.as_of, {
        event: (name, data) => this.receive(name, data),
        broken: () => this.show({ line: broken(this.picture.line, this.heard_ms) }),
      }, this.retryMost_ms);
    } catch (error) {
      if (start === this.start) this.restartLater(error);
    }
  }

  /** Shows copies of a plain web host, and looks for newer ones soon. */
  private lookAgain(round: Round, match: Match | null): void {
    const before = this.picture.round;
    if (before === null || round.now_ms > before.now_ms) this.hear(round.now_ms);
    const changes = before?.as_of === round.as_of ? 0 : 1;
    const isLive = performance.now() - this.heard_steady_ms <= MIRROR_SILENCE_MAX_MS;
    const line = isLive ? heard() : broken(this.picture.line, this.heard_ms);
    this.attempt = 0;
    this.show({ round, match, event_changes: this.picture.event_changes + changes, note: noteFor(this.subject, round), line });
    this.retry = setTimeout(() => void this.restart(), LOOK_EVERY_MS);
  }

  private async fetchMatch(id: string): Promise<Match> {
    const path = `/api/v1/matches/${encodeURIComponent(id)}`;
    return fromSnapshot(id, await fetchSnapshot(path, matchSnapshot));
  }

  private restartLater(error: unknown): void {
    this.stream?.close();
    clearTimeout(this.retry);
    const line = broken(this.picture.line, this.heard_ms);
    const why = error instanceof FetchError && error.kind !== 'unreachable' ? this.explain(error) : this.picture.note;
    this.show({ line, note: why });
    this.retry = setTimeout(() => void this.restart(), retryAfter_ms(this.attempt, Math.random(), this.retryMost_ms));
    this.attempt += 1;
  }

  private explain(error: FetchError): Note {
    if (error.kind === 'missing' && this.subject.kind === 'match') {
      return note('There is no match “{match}” on this server. It may have been entered wrongly, or belong to another event.', { match: this.subject.match });
    }
    return misfit(error.message);
  }

  private receive(name: string, data: string): void {
    try {
      this.apply(name, data);
      if (performance.now() - this.started_ms > STEADY_AFTER_MS) this.attempt = 0;
    } catch (error) {
      if (!(error instanceof DecodeError) && !(error instanceof SyntaxError)) throw error;
      this.show({ note: misfit(`event “${name}”: ${error.message}`) });
      this.restartLater(error);
    }
  }

  private apply(name: string, data: string): void {
    if (name === 'beat') {
      this.hear(parse(data, beatEvent).now_ms);
      this.show({ line: heard() });
    } else if (name === 'reset') {
      void this.restart();
    } else if (name === 'event') {
      this.show({ event_changes: this.picture.event_changes + 1 });
    } else if (name === 'table') {
      this.applyTable(parse(data, tableEvent));
    } else if (name === 'patch') {
      this.applyPatch(JSON.parse(data));
    } else if (name === 'plies') {
      this.applyPlies(data);
    }
  }

  /** A table of which only is sent what has changed. */
  private applyPatch(patch: unknown): void {
    const name = tableName(patch, '').table;
    const known = this.picture.round?.tables.find(({ table }) => table === name);
    if (known === undefined) void this.restart();
    else this.applyTable(tableEvent(patched(known, patch), name));
  }

  private applyTable(table: Table): void {
    const { round, match } = this.picture;
    if (round === null) return;
    const next = roundWithTable(round, table);
    this.hear();
    this.show({ round: next, match: match && withTable(match, table), line: heard() });
    if (matchOf(this.subject, next) !== (match?.id ?? null)) void this.restart();
  }

  private applyPlies(data: string): void {
    const { match } = this.picture;
    if (match === null) return;
    const next = withPlies(match, parse(data, pliesEvent));
    this.hear();
    if (next === undefined) void this.restart();
    else this.show({ match: next, line: heard() });
  }

  /**
   * The server's time for the clocks: it is paused while the line is not live, at the moment
   * of the server's last message.
   */
  readonly now_ms = (): number | undefined =>
    this.time.at(this.picture.line.kind === 'live' ? performance.now() : this.heard_steady_ms);

  private hear(now_ms?: number): void {
    this.heard_ms = Date.now();
    this.heard_steady_ms = performance.now();
    if (now_ms !== undefined) this.time.heard(now_ms, performance.now());
  }

  private show(change: Partial<Picture>): void {
    const next = { ...this.picture, ...change };
    const same = (Object.keys(next) as (keyof Picture)[]).every((key) => sameLine(next, this.picture, key));
    if (same) return;
    this.picture = next;
    this.changed(next);
  }
}

function sameLine(a: Picture, b: Picture, key: keyof Picture): boolean {
  return key === 'line' ? a.line.kind === b.line.kind : a[key] === b[key];
}

function parse<T>(data: string, decoder: Decoder<T>): T {
  return decoder(JSON.parse(data), '');
}

/** The match a subject leads to at this moment; none while a table waits. */
export function matchOf(subject: Subject, round: Round): string | null {
  if (subject.kind === 'match') return subject.match;
  if (subject.kind === 'round') return null;
  return round.tables.find(({ table }) => table === subject.table)?.match ?? null;
}

function noteFor(subject: Subject, round: Round): Note | null {
  if (subject.kind !== 'table' || round.tables.some(({ table }) => table === subject.table)) return null;
  return note('There is no table “{table}” in this round.', { table: subject.table });
}

function misfit(what: string): Note {
  return note('The server sent something this page does not understand ({what}). If this stays, reload the page: it may be older than the server.', { what });
}
