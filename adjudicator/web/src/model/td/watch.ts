/** Calls of a director's device: new items since its last look at the list, and a lost connection. */
import { callsFor } from './needs';
import type { Me, Need } from './wire';

/** A shorter loss of the connection makes no call: a restarted server is away for a moment. */
export const GONE_AFTER_MS = 5_000;
/** Interval at which a lost connection is called again. */
export const STILL_GONE_EVERY_MS = 60_000;

/** Storage of a tab for the items that have called, so that loading the page again does not repeat a call. */
export type Kept = Pick<Storage, 'getItem' | 'setItem'>;
const CALLED = 'twinboard.td.called';

/** Items that have been called out, over all pages of a tab, so that none calls twice. */
export class Watch {
  private known: ReadonlySet<string>;
  private gone_ms: number | null = null;
  private told_ms: number | null = null;

  constructor(private readonly kept: Kept | null = null) {
    this.known = new Set(kept?.getItem(CALLED)?.split('\n') ?? []);
  }

  /**
   * The items that call for a director and did not at the last look at the list: one that has risen to their level calls, too. What is about the
   * match that they look at is before their eyes, and mostly their own doing.
   */
  heard(me: Me, needs: readonly Need[], here: string | null = null): Need[] {
    const call = callsFor(me, needs);
    const called = call.filter(({ id, match }) => !this.known.has(id) && (here === null || match !== here));
    this.known = new Set(call.map(({ id }) => id));
    this.kept?.setItem(CALLED, [...this.known].join('\n'));
    return called;
  }

  /** True if it is time to call the lost connection. Checked about once a second. */
  isLineToBeCalled(isLive: boolean, now_ms: number): boolean {
    if (isLive) {
      this.gone_ms = null;
      this.told_ms = null;
      return false;
    }
    this.gone_ms ??= now_ms;
    const since_ms = this.told_ms ?? this.gone_ms;
    if (now_ms - since_ms < (this.told_ms === null ? GONE_AFTER_MS : STILL_GONE_EVERY_MS)) return false;
    this.told_ms = now_ms;
    return true;
  }
}
