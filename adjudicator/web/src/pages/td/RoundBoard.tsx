/** The round for who runs it: which tables are ready, play, wait for a word; when it begins and ends; what everybody is told. */
import { useEffect, useState } from 'preact/hooks';
import { language, served, t, tx } from '../../language/td';
import { useNotices, useNow } from '../../components/Notices';
import { get } from '../../live/td/server';
import { roundWords } from '../../model/notices';
import { KINDS, countsOf, freeTables, rowsOf } from '../../model/td/roundboard';
import { hubList } from '../../model/td/api';
import { firmwareOf } from '../../model/td/hubs';
import { phonesToLookAt } from '../../model/td/phones';
import { type EventSheet, type Me, eventSheet, staff } from '../../model/td/wire';
import { type Table, roundSnapshot } from '../../model/wire';
import { PairingTable } from './PairingTable';
import { Sure } from './Sure';
import { Outcomes, TdBar } from './TdBar';
import { type Desk, useDesk } from './useDesk';

const LOOK_EVERY_MS = 3_000;

export function RoundBoard({ me, lost }: { readonly me: Me; readonly lost: () => void }) {
  const desk = useDesk(null, lost);
  const [event, setEvent] = useState<EventSheet | null>(null);
  const [tables, setTables] = useState<readonly Table[]>([]);
  useEffect(() => {
    const look = () => {
      void get('/api/v1/td/event', eventSheet).then(setEvent, () => undefined);
      if (me.rank === 'chief') {
        void get('/api/v1/td/staff', staff).then((found) => setPhones(phonesToLookAt(found.devices)), () => undefined);
        void get('/api/v1/td/hubs', hubList).then((found) => setFirmware(firmwareOf(found.hubs)), () => undefined);
      }
      void get('/api/v1/td/round', roundSnapshot).then((found) => setTables(found.tables), () => undefined);
    };
    look();
    const timer = window.setInterval(look, LOOK_EVERY_MS);
    return () => window.clearInterval(timer);
  }, [desk.outcomes]);
  const [phones, setPhones] = useState<readonly string[]>([]);
  const [firmware, setFirmware] = useState(firmwareOf([]));
  const rows = event === null ? [] : rowsOf(event, tables);
  const free = event === null ? [] : freeTables(event);
  return (
    <main class="td td-wide">
      <TdBar title={t('Round')} me={me} desk={desk} />
      <Outcomes desk={desk} />
      {event !== null && <Told event={event} desk={desk} me={me} />}
      {phones.length > 0 && (
        <details data-testid="phones">
          <summary>{tx('Directors’ phones to look at ({n})', { n: phones.length })}</summary>
          <ul>
            {phones.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </details>
      )}
      {firmware.lines.length > 0 && (
        <details data-testid="firmware" open={firmware.outdated > 0}>
          <summary>
            {firmware.outdated > 0
              ? tx('Boards and clocks with older firmware than their hub: {n}. Update them on {page}.', { n: firmware.outdated, page: <a href="/td/screens">{t('Screens')}</a> })
              : tx('Firmware of boards and clocks ({n})', { n: firmware.lines.length })}
          </summary>
          <ul>
            {firmware.lines.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </details>
      )}
      <ul class="board-counts" data-testid="board-counts">
        {countsOf(rows).map(([kind, count]) => (
          <li key={kind} data-kind={kind}>
            <strong>{count}</strong> {KINDS[kind]}
          </li>
        ))}
      </ul>
      {rows.length === 0 && event !== null && <p class="note">{tx('No round is paired. Open one and import its list of pairings on {page}; tables then show here what they still need.', { page: <a href="/td/event">{t('Event')}</a> })}</p>}
      <ol class="pairings" data-testid="round-board">
        {rows.map(({ section, pairing, kind, notes }) => (
          <li key={pairing.pairing} data-pairing={pairing.pairing} data-kind={kind}>
            <PairingTable pairing={pairing} />
            <span class="pairing-sides">
              {pairing.names.join(' – ')} <span class="td-soft">{tx('{section}, round {round}', { section, round: pairing.round })}</span>
              {notes.map((note) => (
                <span key={note} class="td-soft"><br />{note}</span>
              ))}
            </span>
            <strong>{KINDS[kind]}</strong>
          </li>
        ))}
      </ol>
      {me.rank === 'chief' && <Rehearse />}
      {free.length > 0 && rows.length > 0 && <p class="td-soft">{tx('Free tables: {free}.', { free: free.join(', ') })}</p>}
    </main>
  );
}

/** How to rehearse. No button: the rehearsal has the adjudicator's addresses, and what phones send meanwhile is not kept. */
function Rehearse() {
  return (
    <details data-testid="rehearse">
      <summary>{t('Rehearse with hubs, phones and screens')}</summary>
      <ol>
        <li>{t('Have all hubs, phones and screens on, and no game in progress.')}</li>
        <li>{tx('On the adjudicator’s machine, stop {serve} and run {command}.', { serve: <code>twinboard serve</code>, command: <code>twinboard rehearse --config event.toml</code> })}</li>
        <li>{t('The hubs play a short recorded game at each table. All pages announce the rehearsal; keep a page with Sound on open on each phone.')}</li>
        <li>{tx('It ends with a list of what did not answer, and what to do. Then start {serve} again.', { serve: <code>twinboard serve</code> })}</li>
      </ol>
      <p class="td-soft">{t('The event stays as it is, also after a power cut: the rehearsal has a copy of it, which is deleted at its end with all that is entered meanwhile.')}</p>
    </details>
  );
}

/** Beginnings, ends, announcements, with the way to change them. */
function Told({ event, desk, me }: { readonly event: EventSheet; readonly desk: Desk; readonly me: Me }) {
  const found = useNotices();
  const now_ms = useNow() + (found?.ahead_ms ?? 0);
  const [text, setText] = useState('');
  const [minutes, setMinutes] = useState(10);
  const act = (deed: unknown, label: string) => desk.act({ of: 'event', deeds: [deed] }, label);
  const mayAnnounce = me.rank === 'chief' || me.rank === 'section-chief';
  const open = event.sections.filter(({ rounds, opened }) => opened <= rounds && rounds > 0);
  return (
    <section data-testid="told">
      <ul>
        {found?.told.rounds.map((round) => {
          const words = roundWords(round, now_ms);
          return words === '' ? null : <li key={round.section}>{words}</li>;
        })}
      </ul>
      <ul class="entrants">
        {found?.told.announcements.map(({ text: announced }) => (
          <li key={announced}>
            <span>{served(announced)}</span>
            {mayAnnounce && <Sure label={t('Take down')} says={t('it is no longer shown')} act={() => act({ kind: 'announcement-ended', text: announced }, t('announcement taken down'))} />}
          </li>
        ))}
      </ul>
      {me.rank !== 'scorekeeper' && (
        <details data-testid="tell">
          <summary>{t('Announce, or set the beginning of a round')}</summary>
          {mayAnnounce && (
            <div class="fields">
              <label>
                {t('To everybody, in one line')}
                <input value={text} maxLength={100} onInput={(input) => setText(input.currentTarget.value)} />
              </label>
              <Sure
                label={t('Announce')}
                says={t('on every public page and screen')}
                disabled={text.trim() === ''}
                act={() => {
                  act({ kind: 'announced', text: text.trim() }, t('announced: {text}', { text: text.trim() }));
                  setText('');
                }}
              />
            </div>
          )}
          <label>
            {t('Minutes from now')}
            <input type="number" min={0} max={600} value={minutes} onInput={(input) => setMinutes(Number(input.currentTarget.value))} />
          </label>
          <div class="decisions">
            {open.map((section) => {
              const begun = section.pairings.some((one) => one.round === section.opened && (one.running || one.result !== null));
              const round = Math.min(section.rounds, begun || section.opened === 0 ? section.opened + 1 : section.opened);
              const starts_ms = Math.round((now_ms + minutes * 60_000) / 60_000) * 60_000;
              return (
                <Sure key={section.section} label={t('{section}, round {round} begins', { section: section.section, round })} says={t('at {time}, on every page', { time: new Date(starts_ms).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' }) })} act={() => act({ kind: 'round-timed', section: section.section, round, starts_ms }, t('{section}, round {round} begins in {minutes} min', { section: section.section, round, minutes }))} />
              );
            })}
          </div>
        </details>
      )}
    </section>
  );
}
