/** Follows the round for all pages of this browser that ask; see `shared.ts`. */
import { Follower, NO_PICTURE, type Picture } from './follow';
import { RETRY_MOST_MS, type Sharing, SPEAK_EVERY_MS, type Told, shared_ms } from './shared';

/** More pages of one browser are none that anybody looks at; the oldest is left to follow by itself. */
const PAGES_MAX = 64;

/** Reads from the worker's name for whom it follows. */
const sharing: Sharing = self.name === 'scenes' ? 'scenes' : 'frames';

const pages = new Set<MessagePort>();
let picture: Picture = NO_PICTURE;
const follower = new Follower({ kind: 'round' }, (next) => {
  picture = next;
  pages.forEach((page) => tell(page, next));
}, RETRY_MOST_MS[sharing]);

function tell(page: MessagePort, what: Picture | null): void {
  const told: Told = { picture: what, server_ms: follower.now_ms(), at_ms: shared_ms() };
  page.postMessage(told);
}

setInterval(() => pages.forEach((page) => tell(page, null)), SPEAK_EVERY_MS);

self.addEventListener('connect', (event) => {
  const [page] = (event as MessageEvent).ports;
  if (page === undefined) return;
  const [oldest] = pages;
  if (pages.size >= PAGES_MAX && oldest !== undefined) pages.delete(oldest);
  pages.add(page);
  page.onmessage = () => pages.delete(page);
  tell(page, picture);
});
