/** The event: an organiser's files, who sits where, results; by section and round. */
import { useEffect, useState } from 'preact/hooks';
import { coded, t, tx } from '../../language/td';
import { get, getText } from '../../live/td/server';
import { type EventSheet, type Me, type PairingSheet, type SectionSheet, eventSheet } from '../../model/td/wire';
import { CHOICES, mayWrite } from '../../model/td/desk';
import { ChangePairing } from './ChangePairing';
import { EntrantCorrections, SectionCorrections } from './Corrections';
import { DeskTable } from './DeskTable';
import { Import } from './Import';
import { PairingTable } from './PairingTable';
import { Findings, RoundTools } from './RoundTools';
import { Seats } from './Seats';
import { Sure } from './Sure';
import { TieBreaks } from './TieBreaks';
import { Outcomes, TdBar } from './TdBar';
import { Treatments } from './Treatments';
import { useDesk } from './useDesk';

type Act = (deed: unknown, label: string) => void;

export function EventPage({ me, lost }: { readonly me: Me; readonly lost: () => void }) {
  const desk = useDesk(null, lost);
  const [event, setEvent] = useState<EventSheet | null>(null);
  const [count, setCount] = useState(0);
  const again = () => setCount((old) => old + 1);
  const [note, setNote] = useState('');
  useEffect(() => {
    get('/api/v1/td/event', eventSheet).then(setEvent, () => undefined);
  }, [desk.outcomes, count]);
  const deeds: Act = (deed, label) => desk.act({ of: 'event', deeds: [deed] }, label);
  return (
    <main class="td td-wide">
      <TdBar title={event?.name || t('Event')} me={me} desk={desk} />
      <nav class="td-nav" aria-label={t('Files and papers')}>
        <a href="/td/slips">{t('Slips')}</a>
        <a href="/td/prizes">{t('Prizes')}</a>
        <a href="/td/certificates">{t('Certificates')}</a>
        {(me.rank === 'chief' || me.rank === 'section-chief') && <a href="/td/tables">{t('Links of tables')}</a>}
        <a href="/api/v1/td/results.csv" onClick={(click) => void download(click, 'results.csv', setNote)}>{t('Results CSV')}</a>
        {me.rank === 'chief' && <a href="/api/v1/td/event/acts" onClick={(click) => void download(click, 'event.json', setNote)}>{t('Event file')}</a>}
      </nav>
      <Outcomes desk={desk} />
      {note !== '' && <p class="note" role="alert" data-testid="download-refused">{note}</p>}
      {event !== null && me.rank !== 'scorekeeper' && <Tables event={event} act={deeds} />}
      {(me.rank === 'chief' || me.rank === 'section-chief') && <Import done={again} />}
      {event !== null && (me.rank === 'chief' || me.rank === 'section-chief') && <Treatments sections={event.sections} desk={desk} me={me} />}
      {event?.sections.map((section) => (
        <Section key={section.section} event={event} section={section} act={deeds} me={me} />
      ))}
      {event?.sections.length === 0 && <p class="note">{t('No section yet: import a list of teams or players, or a tournament of WinTD.')}</p>}
    </main>
  );
}

/** A link cannot send the key: the file is fetched and handed over. */
async function download(event: MouseEvent & { readonly currentTarget: HTMLAnchorElement }, name: string, say: (refusal: string) => void): Promise<void> {
  event.preventDefault();
  try {
    const text = await getText(event.currentTarget.pathname);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: name.endsWith('.csv') ? 'text/csv' : 'application/json' }));
    link.download = name;
    link.click();
    say('');
  } catch (error) {
    // A refusal is no file.
    say(t('{name} was not saved. {more}', { name, more: error instanceof Error ? error.message : String(error) }));
  }
}

function Tables({ event, act }: { readonly event: EventSheet; readonly act: Act }) {
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? [...event.tables, ...event.heard].join(', ');
  const tables = text.split(',').map((name) => name.trim()).filter(Boolean);
  return (
    <details>
      <summary>
        {tx('Tables ({n}){unlisted}', { n: event.tables.length, unlisted: event.heard.length > 0 && t(' and {n} that send data and are not listed', { n: event.heard.length }) })}
      </summary>
      <label>
        {t('Names, with commas between them')}
        <input value={text} onInput={(input) => setTyped(input.currentTarget.value)} />
      </label>
      <button onClick={() => act({ kind: 'tables-listed', tables }, t('{n} {n|one:table|other:tables}', { n: tables.length }))}>{t('List them')}</button>
    </details>
  );
}

interface OfSection {
  readonly event: EventSheet;
  readonly section: SectionSheet;
  readonly act: Act;
  readonly me: Me;
}

function Section({ event, section, act, me }: OfSection) {
  const isDesk = useDeskWidth();
  const mayCorrect = me.rank === 'chief' || me.rank === 'section-chief';
  const [round, setRound] = useState<number | null>(null);
  const asked = section.pairings.find(({ pairing }) => pairing === askedPairing());
  const shown = round ?? asked?.round ?? Math.max(1, section.opened);
  const pairings = section.pairings.filter((pairing) => pairing.round === shown);
  const free = section.entrants.filter(({ withdrawn_from }) => withdrawn_from === null);
  return (
    <section class="td-section" data-section={section.section}>
      <h2>
        {section.section} <span class="td-soft">{tx('{rulebook}, {n} {n|one:entrant|other:entrants}', { rulebook: section.rulebook, n: section.entrants.length })}</span>
      </h2>
      <div class="td-share" role="group" aria-label={t('Round')}>
        {Array.from({ length: section.opened }, (_, index) => index + 1).map((one) => (
          <button key={one} aria-pressed={one === shown} onClick={() => setRound(one)}>{tx('Round {one}', { one })}</button>
        ))}
        {section.opened < section.rounds && (
          <Sure label={t('Open round {opened}', { opened: section.opened + 1 })} says={t('it can be paired then')} act={() => act({ kind: 'round-opened', section: section.section, round: section.opened + 1 }, t('round {opened} opened', { opened: section.opened + 1 }))} />
        )}
      </div>
      <Findings section={section} round={shown} />
      {isDesk && pairings.length > 0 ? (
        <DeskTable section={section} pairings={pairings} act={act} more={(pairing) => <More pairing={pairing} section={section} act={act} />} />
      ) : (
        <ol class="pairings">
          {pairings.map((pairing) => (
            <Pairing key={pairing.pairing} pairing={pairing} section={section} act={act} />
          ))}
        </ol>
      )}
      {me.rank !== 'scorekeeper' && <RoundTools event={event} section={section} round={shown} act={act} />}
      <Byes section={section} round={shown} act={act} />
      {mayCorrect && <SectionCorrections event={event} section={section} act={act} />}
      {pairings.length === 0 && section.opened > 0 && <p class="td-soft">{t('This round has no pairings: import the list of pairings.')}</p>}
      <TieBreaks section={section} act={act} />
      <details>
        <summary>{tx('Entrants ({n} playing)', { n: free.length })}</summary>
        <ul class="entrants">
          {section.entrants.map((entrant) => (
            <li key={entrant.number}>
              <span>
                {entrant.number}. {entrant.name} <span class="td-soft">{entrant.players.map(({ name }) => name).join(', ')}</span>
              </span>
              {entrant.withdrawn_from === null ? (
                <>
                  <Sure label={t('Withdraw')} says={t('from round {opened} on', { opened: section.opened + 1 })} act={() => act({ kind: 'entrant-withdrawn', section: section.section, number: entrant.number, from_round: section.opened + 1 }, t('{name} withdrawn', { name: entrant.name }))} />
                  <Sure label={t('Half-point bye')} says={t('round {opened}', { opened: section.opened + 1 })} act={() => act({ kind: 'bye-given', section: section.section, number: entrant.number, round: section.opened + 1, bye: 'half-point' }, t('{name}: bye', { name: entrant.name }))} />
                </>
              ) : (
                <Sure label={t('Returns')} says={t('they can be paired again')} act={() => act({ kind: 'entrant-returned', section: section.section, number: entrant.number }, t('{name} returned', { name: entrant.name }))} />
              )}
              {me.rank === 'chief' && <EntrantCorrections event={event} section={section} entrant={entrant} act={act} />}
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}

/** Who does not play a round, and the way back. */
function Byes({ section, round, act }: { readonly section: SectionSheet; readonly round: number; readonly act: Act }) {
  const byes = section.byes.filter((bye) => bye.round === round);
  if (byes.length === 0) return null;
  const name = (number: number) => section.entrants.find((entrant) => entrant.number === number)?.name ?? String(number);
  return (
    <ul class="entrants" data-testid="byes">
      {byes.map(({ number, bye }) => (
        <li key={number}>
          <span>
            {number}. {name(number)} <span class="td-soft">{tx('{bye} bye', { bye: coded(bye) })}</span>
          </span>
          <Sure label={t('Take back')} says={t('can be paired again')} act={() => act({ kind: 'bye-taken-back', section: section.section, number, round }, t('{name}: no bye', { name: name(number) }))} />
        </li>
      ))}
    </ul>
  );
}

/** The pairing that the list's item is about, if it is about one. */
function askedPairing(): number | null {
  const asked = new URLSearchParams(window.location.search).get('pairing');
  return asked === null ? null : Number(asked);
}

const show = (item: Element | null) => item?.scrollIntoView({ block: 'center' });

/** A laptop has room for a row a pairing, and keys. */
function useDeskWidth(): boolean {
  const [query] = useState(() => window.matchMedia('(min-width: 1000px)'));
  const [isDesk, setDesk] = useState(query.matches);
  useEffect(() => {
    const changed = () => setDesk(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, []);
  return isDesk;
}

/** What is behind a row of the desk: seats, another table, forfeits. */
function More({ pairing, section, act }: OfPairing) {
  return (
    <>
      <Seats pairing={pairing} section={section} act={act} />
      {pairing.result === null && <ChangePairing pairing={pairing} section={section} act={act} />}
      <FromPaper pairing={pairing} section={section} act={act} isOpen={askedPairing() === pairing.pairing} />
    </>
  );
}

interface OfPairing {
  readonly pairing: PairingSheet;
  readonly section: SectionSheet;
  readonly act: Act;
}

/** A result that was written down, or that nobody played for; the way back, too. */
function FromPaper({ pairing, section, act, isOpen }: OfPairing & { readonly isOpen: boolean }) {
  const mayEnter = mayWrite(section, pairing);
  if (!mayEnter && !pairing.on_paper) return null;
  const [first, second] = pairing.names;
  const words: Readonly<Record<string, string>> = {
    '1': t('{first} won', { first }),
    '=': t('Draw'),
    '0': t('{second} won', { second }),
    '+': t('{first} wins by forfeit', { first }),
    '-': t('{second} wins by forfeit', { second }),
    x: t('Both forfeit'),
  };
  return (
    <details open={isOpen}>
      <summary>{t('Result from paper')}</summary>
      <div class="decisions">
        {mayEnter && CHOICES.map(({ key, words: result, outcome }) => (
          <Sure key={key} label={words[key] ?? result} says={t('{result}, to be confirmed{more}', { result, more: pairing.running ? t('; the clock still runs, and the game counts as over') : '' })} act={() => act({ kind: 'result-entered', pairing: pairing.pairing, outcomes: [outcome] }, `${first} – ${second}: ${result}`)} />
        ))}
        {mayEnter && pairing.result !== null && <Sure label={t('Confirm')} says={t('{result} counts', { result: pairing.result })} act={() => act({ kind: 'result-confirmed', pairing: pairing.pairing }, t('{first} – {second} confirmed', { first, second }))} />}
        {pairing.on_paper && pairing.result !== null && (
          <Sure
            label={t('Take back')}
            says={t('{result} counts nowhere any more; what the match shows stays', { result: pairing.result })}
            act={() => act({ kind: 'result-withdrawn', pairing: pairing.pairing, note: 'taken back by a director' }, t('{first} – {second}: {result} taken back', { first, second, result: pairing.result ?? '' }))}
          />
        )}
      </div>
    </details>
  );
}

function Pairing({ pairing, section, act }: OfPairing) {
  const [first, second] = pairing.names;
  const asked = askedPairing() === pairing.pairing;
  const state = pairing.result === null ? (pairing.running ? t('playing') : t('to be played')) : pairing.confirmed ? pairing.result : t('{result} (to confirm)', { result: pairing.result });
  return (
    <li data-pairing={pairing.pairing} ref={asked ? show : null}>
      <PairingTable pairing={pairing} />
      <span class="pairing-sides">{first} – {second}</span>
      <strong>{state}</strong>
      <Seats pairing={pairing} section={section} act={act} />
      {pairing.result === null && <ChangePairing pairing={pairing} section={section} act={act} />}
      <FromPaper pairing={pairing} section={section} act={act} isOpen={asked || (pairing.on_paper && !pairing.confirmed)} />
    </li>
  );
}
