/** Who needs me: what is open in the hall, the most urgent first. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Ahead } from '../../live/td/ahead';
import { onTick } from '../../live/ticker';
import { type Share, ago, arranged, calling, percent, shareOf, split } from '../../model/td/needs';
import type { Me, Need } from '../../model/td/wire';
import { Outcomes, TdBar } from './TdBar';
import { soundNote, useCalls } from './useCalls';
import { useDesk } from './useDesk';

/** So long after a touch nothing moves. */
const HELD_MS = 3_000;

const WORDS: Record<Need['urgency'], string> = {
  claim: 'Claim',
  clock: 'Clock',
  'put-up': 'Position',
  stopped: 'Stopped',
  result: 'Result',
  sensors: 'Sensors',
  silent: 'Players must claim',
  evidence: 'Evidence',
  notice: 'Hall',
};

export function NeedsPage({ me, lost }: { readonly me: Me; readonly lost: () => void }) {
  const desk = useDesk(null, lost);
  const [share, setShare] = useState<Share>('mine');
  const calls = useCalls(desk.live);
  const touched = useRef(0);
  const shown = useRef<readonly string[]>([]);
  const known = useRef<ReadonlySet<string>>(new Set());
  const [said, setSaid] = useState('');
  const [, again] = useState(0);
  useEffect(() => onTick(() => again((count) => (count + 1) % 1024)), []);
  const mine = shareOf(me, desk.needs, share);
  useEffect(() => {
    const called = calling(known.current, mine);
    if (called.length > 0) {
      calls.call();
      setSaid(mine.filter(({ id }) => called.includes(id)).map((need) => `${whereOf(need)}: ${need.what}`).join('. '));
    }
    known.current = new Set(desk.needs.map(({ id }) => id));
  }, [desk.needs]);
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
    <main class="td" onPointerDown={() => (touched.current = Date.now())} data-alarm={String(calls.isCalling)}>
      <TdBar title="Who needs me" desk={desk}>
        <nav class="td-nav">
          <a href="/td/event">Event</a>
          <a href="/td/report">Report</a>
          <a href="/td/stream">Stream</a>
          {me.rank === 'chief' && <a href="/td/staff">People</a>}
          <a href="/">Round</a>
        </nav>
      </TdBar>
      <div class="td-share" role="group" aria-label="Whose">
        {(['mine', 'section', 'all'] as const).map((one) => (
          <button key={one} aria-pressed={share === one} onClick={() => setShare(one)}>
            {one === 'mine' ? 'Mine' : one === 'section' ? 'My section' : 'All'} ({shareOf(me, desk.needs, one).length})
          </button>
        ))}
        <button aria-pressed={calls.isOn} onClick={calls.toggle}>Sound</button>
      </div>
      <p class="td-soft">{soundNote()}</p>
      <Outcomes desk={desk} />
      <p class="unseen" role="status" data-testid="called">{said}</p>
      <ol class="needs" data-testid="needs">
        {first.map(item)}
      </ol>
      {later.length > 0 && (
        <details>
          <summary>{later.length} more, none urgent</summary>
          <ol class="needs">{later.map(item)}</ol>
        </details>
      )}
      {list.length === 0 && <p class="note">Nobody needs you.</p>}
    </main>
  );
}

function whereOf({ label, board }: Need): string {
  return `${label}${board === null ? '' : `, board ${board}`}`;
}

function Item(props: { readonly need: Need; readonly me: Me; readonly now_ms: number; readonly act: (deed: unknown, label: string) => void }) {
  const { need, me, now_ms, act } = props;
  const isMine = need.taken?.person === me.person;
  const where = whereOf(need);
  const words = (
    <>
      <span class="need-where">{where}</span>
      <span class="need-what">{need.what}</span>
      <span class="need-when">
        {WORDS[need.urgency]} · {ago(need.since_ms, now_ms)}
        {need.rule !== null && ` · ${need.rule}`}
        {need.confidence !== null && ` · ${percent(need.confidence)}`}
        {need.taken !== null && ` · ${isMine ? 'yours' : need.taken.person}`}
        {need.taken === null && need.level !== 'floor' && ' · nobody has taken it'}
      </span>
    </>
  );
  return (
    <li class="need" data-urgency={need.urgency} data-silent={String(need.silent)} data-taken={String(need.taken !== null)} data-need={need.id}>
      {need.table === '' ? (
        <div class="need-words">
          {words}
          <span>{need.detail}</span>
        </div>
      ) : (
        <a class="need-words" href={`/td/table/${encodeURIComponent(need.table)}${need.ply === null ? '' : `?ply=${need.ply}`}`} onClick={() => need.taken === null && act({ of: 'take', item: need.id }, `taken: ${where}`)}>
          {words}
        </a>
      )}
      {isMine ? (
        <button onClick={() => act({ of: 'release', item: need.id }, `given back: ${where}`)}>Give back</button>
      ) : (
        need.taken === null && need.table !== '' && <button onClick={() => act({ of: 'take', item: need.id }, `taken: ${where}`)}>Take</button>
      )}
      {(need.urgency === 'clock' || need.urgency === 'put-up' || need.urgency === 'evidence' || need.urgency === 'notice' || need.urgency === 'silent') && (
        <button onClick={() => act({ of: 'dismiss', item: need.id }, `put away: ${where}`)}>Put away</button>
      )}
    </li>
  );
}
