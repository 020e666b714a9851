/** Open items of the hall, the most urgent first. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { langOf, served, t, tx } from '../../language/td';
import { Ahead } from '../../live/td/ahead';
import { calls } from '../../live/td/calls';
import { onTick } from '../../live/ticker';
import { type Share, ago, arranged, pathOf, percent, shareOf, split } from '../../model/td/needs';
import type { Me, Need } from '../../model/td/wire';
import { Outcomes, TdBar } from './TdBar';
import { claimOf, whereOf } from './useCalls';
import { useDesk } from './useDesk';

/** Time after a touch in which nothing moves. */
const HELD_MS = 3_000;

/** Kinds whose sentence has their subject; that of claims and evidence is on the table's page. */
const TOLD: ReadonlySet<Need['urgency']> = new Set(['call', 'clock', 'result', 'sensors', 'notice']);

/** Time to take an item before the list marks it as not taken. */
const LEFT_MS = 30_000;

const WORDS: Record<Need['urgency'], string> = {
  claim: t('Claim'),
  call: t('Called'),
  clock: t('Clock'),
  'put-up': t('Position'),
  stopped: t('Stopped'),
  result: t('Result'),
  sensors: t('Sensors'),
  silent: t('Players must claim'),
  evidence: t('Evidence'),
  notice: t('Hall'),
};

export function NeedsPage({ me, lost }: { readonly me: Me; readonly lost: () => void }) {
  const desk = useDesk(null, lost);
  const [share, setShare] = useState<Share>('mine');
  const touched = useRef(0);
  const shown = useRef<readonly string[]>([]);
  const [, again] = useState(0);
  useEffect(() => onTick(() => again((count) => (count + 1) % 1024)), []);
  const mine = shareOf(me, desk.needs, share);
  const [ahead] = useState(() => new Ahead());
  useEffect(() => {
    if (desk.live) ahead.ask(mine, Date.now());
  }, [desk.needs, desk.live]);
  const list = arranged(mine, shown.current, Date.now() - touched.current < HELD_MS);
  shown.current = list.map(({ id }) => id);
  const now_ms = desk.now_ms();
  const { first, later } = split(list);
  const item = (need: Need) => <Item key={need.id} need={need} me={me} now_ms={now_ms} act={desk.act} />;
  return (
    <main class="td" onPointerDown={() => (touched.current = Date.now())}>
      <TdBar title={t('Who needs me')} me={me} desk={desk} isList />
      <div class="td-share" role="group" aria-label={t('Whose')}>
        {(['mine', 'section', 'all'] as const).map((one) => (
          <button key={one} aria-pressed={share === one} onClick={() => setShare(one)}>
            {one === 'mine' ? t('Mine') : one === 'section' ? t('My section') : t('All')} ({shareOf(me, desk.needs, one).length})
          </button>
        ))}
        <button aria-pressed={calls.isWanted()} onClick={() => calls.toggle()}>{t('Sound')}</button>
      </div>
      <p class="td-soft" data-testid="missing">{calls.missing().join(' ')}</p>
      <Outcomes desk={desk} />
      <ol class="needs" data-testid="needs">
        {first.map(item)}
      </ol>
      {later.length > 0 && (
        <details>
          <summary>{moreWords(later)}</summary>
          <ol class="needs">{later.map(item)}</ol>
        </details>
      )}
      {list.length === 0 && <p class="note">{t('Nobody needs you. Claims, calls and results to confirm appear here by themselves.')}</p>}
    </main>
  );
}

/** Subject of an item; the server's text is marked as English where it has no translation. */
function aboutOf(need: Need) {
  const claim = claimOf(need);
  const sentence = claim?.about ?? need.what;
  const about = <span lang={langOf(sentence)}>{served(sentence)}</span>;
  return claim === null ? about : tx('{order}{seat} claims: {about}', { order: '', seat: claim.seat, about });
}

/** Claims and results are decided, not dismissed; a call ends when a director has been there. */
function canBeDismissed({ urgency, id }: Need): boolean {
  return ['call', 'clock', 'put-up', 'evidence', 'notice', 'silent'].includes(urgency) || id.startsWith('reports:');
}

/** Number of further items, and of those that players must claim. */
function moreWords(later: readonly Need[]): string {
  const silent = later.filter((need) => need.silent).length;
  return t('{n} more, none urgent{more}', { n: later.length, more: silent === 0 ? '' : t('; {silent} of them players must claim', { silent }) });
}

function Item(props: { readonly need: Need; readonly me: Me; readonly now_ms: number; readonly act: (deed: unknown, label: string) => void }) {
  const { need, me, now_ms, act } = props;
  const isMine = need.taken?.person === me.person;
  const where = whereOf(need);
  const words = (
    <>
      <span class="need-where">{where}</span>
      <span class="need-what">{aboutOf(need)}</span>
      {need.table !== '' && TOLD.has(need.urgency) && <span lang={langOf(need.detail)}>{served(need.detail)}</span>}
      <span class="need-when">
        {WORDS[need.urgency]} · {ago(need.since_ms, now_ms)}
        {need.is_earlier && t(' · an earlier match')}
        {need.rule !== null && ` · ${need.rule}`}
        {need.confidence !== null && ` · ${percent(need.confidence)}`}
        {need.taken !== null && ` · ${isMine ? t('yours') : need.taken.person}`}
        {need.taken === null && need.level !== 'floor' && now_ms - need.since_ms > LEFT_MS && t(' · unassigned')}
      </span>
    </>
  );
  return (
    <li class="need" data-urgency={need.urgency} data-silent={String(need.silent)} data-taken={String(need.taken !== null)} data-need={need.id}>
      {need.table === '' ? (
        <div class="need-words">
          {words}
          <span lang={langOf(need.detail)}>{served(need.detail)}</span>
        </div>
      ) : (
        <a class="need-words" href={pathOf(need)} onClick={() => need.taken === null && act({ of: 'take', item: need.id }, t('assigned to me: {where}', { where }))}>
          {words}
        </a>
      )}
      {isMine ? (
        <button onClick={() => act({ of: 'release', item: need.id }, t('given back: {where}', { where }))}>{t('Give back')}</button>
      ) : (
        need.taken === null && need.table !== '' && <button onClick={() => act({ of: 'take', item: need.id }, t('assigned to me: {where}', { where }))}>{t('Assign to me')}</button>
      )}
      {canBeDismissed(need) && (
        <button onClick={() => act({ of: 'dismiss', item: need.id }, t('dismissed: {where}', { where }))}>{need.urgency === 'call' ? t('Done') : t('Dismiss')}</button>
      )}
    </li>
  );
}
