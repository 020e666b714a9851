/** Families: how each child is named in public, and the link by which a family follows its child, to be printed and revoked. */
import '../../style/notices.css';
import { useEffect, useState } from 'preact/hooks';
import { t, tx } from '../../language/td';
import { get, post } from '../../live/td/server';
import { list, nullable, number, object, string } from '../../model/decode';
import type { Decoded } from '../../model/decode';
import { type EventSheet, type Me, eventSheet } from '../../model/td/wire';
import { LinkSlips } from './LinkSlips';
import { Sure } from './Sure';
import { Outcomes, TdBar } from './TdBar';
import { useDesk } from './useDesk';

const links = list(object({ player: number, path: string, code: nullable(string) }));
type Links = Decoded<typeof links>;

const CONSENTS: readonly (readonly [string, string])[] = [
  ['', t('as the event')],
  ['name', t('whole name')],
  ['first-name', t('first name')],
  ['number', t('number only')],
];

interface Child {
  readonly player: number;
  readonly name: string;
  readonly where: string;
  readonly consent: string | null;
  readonly is_followed: boolean;
}

function childrenOf(event: EventSheet, section: string): readonly Child[] {
  return event.sections
    .filter((one) => section === '' || one.section === section)
    .flatMap((one) => one.entrants.flatMap(({ number: of, name, players }) => players.map((player) => ({ ...player, where: t('{section}, No. {of}{more}', { section: one.section, of, more: name === player.name ? '' : `, ${name}` }) }))));
}

export function FamiliesPage({ me, lost }: { readonly me: Me; readonly lost: () => void }) {
  const desk = useDesk(null, lost);
  const [event, setEvent] = useState<EventSheet | null>(null);
  const [section, setSection] = useState('');
  const [typed, setTyped] = useState('');
  const [made, setMade] = useState<Links>([]);
  const [note, setNote] = useState('');
  const [count, setCount] = useState(0);
  useEffect(() => {
    get('/api/v1/td/event', eventSheet).then(setEvent, (error: unknown) => setNote(error instanceof Error ? error.message : ''));
  }, [desk.outcomes, count]);
  const all = event === null ? [] : childrenOf(event, section);
  const shown = all.filter(({ name, where }) => `${name} ${where}`.toLowerCase().includes(typed.trim().toLowerCase()));
  const act = (deed: unknown, label: string) => desk.act({ of: 'event', deeds: [deed] }, label);
  const make = (players: readonly number[]) =>
    void post('/api/v1/td/children/links', { players }, links).then(
      (found) => {
        setMade(found);
        setNote('');
        setCount((old) => old + 1);
      },
      (error: unknown) => setNote(error instanceof Error ? error.message : ''),
    );
  const without = shown.filter(({ is_followed }) => !is_followed).map(({ player }) => player);
  return (
    <main class="td">
      <TdBar title={t('Families')} me={me} desk={desk} />
      <Outcomes desk={desk} />
      {note !== '' && <p class="note" role="alert">{note}</p>}
      {made.length > 0 && (
        <LinkSlips
          made={made.map((link) => {
            const child = all.find((one) => one.player === link.player);
            return { ...link, title: child?.name ?? '', of: `${event?.name ?? ''} · ${child?.where ?? ''}` };
          })}
          says={t('Follow your child: table, seat, clock, result, next round. This link is for your family alone; the organiser revokes it on request.')}
          close={() => setMade([])}
        />
      )}
      <div class="print-never">
        <p class="td-soft">{t('A link shows one child and no other. It is printed once and kept nowhere; a new one makes the old one void.')}</p>
        <div class="fields">
          <label>
            {t('Section')}
            <select value={section} onChange={(change) => setSection(change.currentTarget.value)}>
              <option value="">{t('All')}</option>
              {event?.sections.map((one) => (
                <option key={one.section}>{one.section}</option>
              ))}
            </select>
          </label>
          <label>
            {t('Find')}
            <input type="search" value={typed} onInput={(input) => setTyped(input.currentTarget.value)} />
          </label>
        </div>
        {without.length > 0 && <Sure label={t('Links for {n} without one', { n: without.length })} says={t('to be printed and handed out')} act={() => make(without)} />}
        <ol class="entrants" data-testid="families">
          {shown.map((child) => (
            <li key={child.player} data-player={child.player}>
              <span>
                {child.name} <span class="td-soft">{child.where}</span>
              </span>
              <label>
                {t('Named in public')}
                <select value={child.consent ?? ''} onChange={(change) => act({ kind: 'consent-given', player: child.player, ...(change.currentTarget.value === '' ? {} : { consent: change.currentTarget.value }) }, `${child.name}: ${change.currentTarget.value === '' ? t('as the event') : change.currentTarget.value}`)}>
                  {CONSENTS.map(([value, words]) => (
                    <option key={value} value={value}>{words}</option>
                  ))}
                </select>
              </label>
              <Sure label={child.is_followed ? t('New link') : t('Link')} says={child.is_followed ? t('the old one is void') : t('for this child alone')} act={() => make([child.player])} />
              {child.is_followed && <Sure label={t('Revoke')} says={t('the old link then shows nothing')} act={() => act({ kind: 'link-revoked', player: child.player }, t('{name}: link revoked', { name: child.name }))} />}
            </li>
          ))}
        </ol>
        {event !== null && all.length === 0 && <p class="note">{tx('No players yet: import a list of teams or players on {page}.', { page: <a href="/td/event">{t('Event')}</a> })}</p>}
      </div>
    </main>
  );
}
