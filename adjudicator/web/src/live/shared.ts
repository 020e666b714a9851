/**
 * One line to the server for all pages of a browser that show the round: a stream's scenes, a club's frames. A browser gives a server six
 * connections, and a scene more than that would wait for ever.
 *
 * A worker follows the round and tells it to its pages. Where a browser has no such worker, or it falls silent, a page follows by itself.
 */
import { RETRY_MAX_MS, SCENE_RETRY_MAX_MS } from '../model/line';
import { Follower, type Picture } from './follow';
import { IS_MIRROR } from './mirror';

/** Message of the worker to its pages. */
export interface Told {
  /** Null: as in the message before. */
  readonly picture: Picture | null;
  /** The server's time at `at_ms`, on the time line that all pages of a browser share. */
  readonly server_ms: number | undefined;
  readonly at_ms: number;
}

/** Longest pause between two messages of the worker. */
export const SPEAK_EVERY_MS = 2_000;
const SILENT_AFTER_MS = 3 * SPEAK_EVERY_MS;

/** The same in every page and worker of this browser, and never set back. */
export const shared_ms = (): number => performance.timeOrigin + performance.now();

/** Users of the shared connection: a stream's scenes in one browser, or a club's frames in thousands. */
export type Sharing = 'scenes' | 'frames';

/** Longest wait before they ask again. */
export const RETRY_MOST_MS: Readonly<Record<Sharing, number>> = { scenes: SCENE_RETRY_MAX_MS, frames: RETRY_MAX_MS };

class SharedFollower {
  private own: Follower | undefined;
  private told: Told | undefined;
  private isLive = false;
  private heard_ms = shared_ms();
  private readonly watch: number;

  constructor(
    private readonly worker: SharedWorker,
    private readonly changed: (picture: Picture) => void,
    private readonly retryMost_ms: number,
  ) {
    worker.port.onmessage = ({ data }: MessageEvent<Told>) => this.hear(data);
    worker.onerror = () => this.alone();
    window.addEventListener('pagehide', this.leave);
    this.watch = window.setInterval(() => shared_ms() - this.heard_ms > SILENT_AFTER_MS && this.alone(), SPEAK_EVERY_MS);
  }

  readonly now_ms = (): number | undefined => {
    if (this.own !== undefined) return this.own.now_ms();
    const { told } = this;
    if (told?.server_ms === undefined) return undefined;
    return this.isLive ? told.server_ms + shared_ms() - told.at_ms : told.server_ms;
  };

  close(): void {
    this.leave();
    this.own?.close();
  }

  private hear(told: Told): void {
    if (this.own !== undefined) return;
    this.heard_ms = shared_ms();
    this.told = told;
    if (told.picture === null) return;
    this.isLive = told.picture.line.kind === 'live';
    this.changed(told.picture);
  }

  /** The worker does not answer: this page follows by itself. */
  private alone(): void {
    this.leave();
    this.own ??= new Follower({ kind: 'round' }, this.changed, this.retryMost_ms);
  }

  private readonly leave = (): void => {
    window.clearInterval(this.watch);
    window.removeEventListener('pagehide', this.leave);
    this.worker.port.postMessage('leave');
    this.worker.port.close();
  };
}

/** Follows the round over the browser's shared line. */
export function followShared(sharing: Sharing, changed: (picture: Picture) => void): SharedFollower | Follower {
  const alone = () => new Follower({ kind: 'round' }, changed, RETRY_MOST_MS[sharing]);
  // A worker does not see the mark of a copied page.
  if (IS_MIRROR || typeof SharedWorker === 'undefined') return alone();
  try {
    const worker = new SharedWorker(new URL('./round.worker.ts', import.meta.url), { type: 'module', name: sharing });
    return new SharedFollower(worker, changed, RETRY_MOST_MS[sharing]);
  } catch {
    // A site may show the page in a frame that is allowed no worker.
    return alone();
  }
}
