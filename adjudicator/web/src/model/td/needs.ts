/** The list of who needs a director: what is mine, in which order it is shown, and in which words. */
import { t } from '../../language/language';
import type { Me, Need, Rank } from './wire';

export type Share = 'mine' | 'section' | 'all';

const RANKS: readonly Rank[] = ['scorekeeper', 'floor', 'section-chief', 'chief'];

/** Checks whether an item lies in a director's tables and sections. */
export function isTheirs({ scope }: Me, need: Need): boolean {
  if (scope.sections.length === 0 && scope.tables.length === 0) return true;
  return scope.tables.includes(need.table) || (need.section !== null && scope.sections.includes(need.section));
}

/** Mine: in my tables, at my level or taken by me. My section: whatever is in my tables and sections. */
export function shareOf(me: Me, needs: readonly Need[], share: Share): Need[] {
  return needs.filter((need) => {
    if (share === 'all') return true;
    if (!isTheirs(me, need)) return false;
    if (share === 'section') return true;
    if (need.taken !== null) return need.taken.person === me.person;
    const waits = RANKS.indexOf(need.level);
    return me.rank === 'chief' || me.rank === 'section-chief' ? waits >= RANKS.indexOf(me.rank) || need.urgency === 'claim' || need.urgency === 'call' : true;
  });
}

/**
 * The order on the page. While a thumb is on the list nothing moves under it: shown items keep their places, closed ones leave,
 * and new ones wait at the end.
 */
export function arranged(needs: readonly Need[], shown: readonly string[], held: boolean): Need[] {
  if (!held) return [...needs];
  const place = new Map(shown.map((id, index) => [id, index]));
  const at = (need: Need) => place.get(need.id) ?? Number.MAX_SAFE_INTEGER;
  return [...needs].sort((one, other) => at(one) - at(other));
}

/** Number of visible silent items: the latest can still be claimed. With the line of the folded ones the list has four lines in full play. */
const SILENT_SHOWN = 3;

/** Visible items, and folded ones: evidence, notices and older silent items. */
export function split(needs: readonly Need[]): { readonly first: Need[]; readonly later: Need[] } {
  const silent = needs.filter(({ urgency }) => urgency === 'silent').sort((one, other) => other.since_ms - one.since_ms);
  const latest = new Set(silent.slice(0, SILENT_SHOWN).map(({ id }) => id));
  const isFirst = ({ id, urgency }: Need) => latest.has(id) || (urgency !== 'silent' && urgency !== 'evidence' && urgency !== 'notice');
  return { first: needs.filter(isFirst), later: needs.filter((need) => !isFirst(need)) };
}

/** Items that call a director: a player waits, no director has taken it, and it has reached their level. Silent items never call. */
export function callsFor(me: Me, needs: readonly Need[]): Need[] {
  // A scorekeeper can do nothing about any of it.
  if (me.rank === 'scorekeeper') return [];
  const isUrgent = ({ urgency }: Need) => urgency === 'claim' || urgency === 'call' || urgency === 'clock' || urgency === 'put-up' || urgency === 'stopped';
  const hasReached = ({ level }: Need) => me.rank === 'floor' || RANKS.indexOf(level) >= RANKS.indexOf(me.rank);
  return needs.filter((need) => isTheirs(me, need) && isUrgent(need) && hasReached(need) && !need.silent && need.taken === null);
}

/** Page of an item: its table, the match that has left it or whose result waits, or its pairing. */
export function pathOf({ table, match, ply, is_earlier, pairing, urgency }: Need): string {
  if (match === null && pairing !== null) return `/td/event?pairing=${pairing}`;
  // Another match may stand at the table by the time of the touch.
  const page = (is_earlier || urgency === 'result') && match !== null ? `/td/match/${encodeURIComponent(match)}` : `/td/table/${encodeURIComponent(table)}`;
  return ply === null ? page : `${page}?ply=${ply}`;
}

/** `8 s ago`, `3 min ago`, `2 h ago`. */
export function ago(since_ms: number, now_ms: number): string {
  const seconds = Math.max(0, Math.round((now_ms - since_ms) / 1000));
  if (seconds < 90) return t('{seconds} s ago', { seconds });
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? t('{minutes} min ago', { minutes }) : t('{n} h ago', { n: Math.round(minutes / 60) });
}

export function percent(p: number): string {
  return `${Math.round(p * 100)} %`;
}
