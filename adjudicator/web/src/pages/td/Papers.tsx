/** Papers of the event: result slips of the round for the tables, the lists of prizes by place, and certificates. */
import '../../style/notices.css';
import { useEffect, useState } from 'preact/hooks';
import { language, t, tx } from '../../language/td';
import { get } from '../../live/td/server';
import { type EventSheet, type Me, type StandingsSheet, eventSheet, standingsSheet } from '../../model/td/wire';
import { certificates } from '../../model/td/certificates';
import { TdMenu } from './TdMenu';

function useSheet(): { readonly event: EventSheet | null; readonly note: string } {
  const [event, setEvent] = useState<EventSheet | null>(null);
  const [note, setNote] = useState(t('Loading…'));
  useEffect(() => {
    get('/api/v1/td/event', eventSheet).then(setEvent, (error: unknown) => setNote(error instanceof Error ? error.message : ''));
  }, []);
  return { event, note };
}

function useStandings(event: EventSheet | null): readonly StandingsSheet[] {
  const [sheets, setSheets] = useState<readonly StandingsSheet[]>([]);
  useEffect(() => {
    for (const { section } of event?.sections ?? []) {
      get(`/api/v1/standings?section=${encodeURIComponent(section)}`, standingsSheet).then((sheet) => setSheets((old) => [...old.filter((one) => one.section !== section), sheet]), () => undefined);
    }
  }, [event]);
  return sheets;
}

function Bar({ title, me }: { readonly title: string; readonly me: Me }) {
  return (
    <header class="bar td-bar">
      <h1 tabIndex={-1}>{title}</h1>
      <TdMenu me={me} />
      <button onClick={() => window.print()}>{t('Print')}</button>
    </header>
  );
}

/** A slip a pairing of the rounds that were opened last. */
export function SlipsPage({ me }: { readonly me: Me }) {
  const { event, note } = useSheet();
  const [section, setSection] = useState('');
  const wanted = event?.sections.filter((one) => one.opened > 0 && (section === '' || one.section === section)) ?? [];
  const slips = wanted.flatMap((one) => one.pairings.filter(({ round }) => round === one.opened).map((pairing) => ({ section: one, pairing })));
  return (
    <main class="td td-wide">
      <Bar title={t('Result slips')} me={me} />
      {event === null && <p class="note" role="status">{note}</p>}
      {event !== null && event.sections.length > 1 && (
        <label class="print-never">
          {t('Section')}
          <select value={section} onChange={(change) => setSection(change.currentTarget.value)}>
            <option value="">{t('All')}</option>
            {event.sections.map((one) => (
              <option key={one.section}>{one.section}</option>
            ))}
          </select>
        </label>
      )}
      {event !== null && slips.length === 0 && <p class="note">{tx('No round is paired: open one and take its pairings on {page}.', { page: <a href="/td/event">{t('Event')}</a> })}</p>}
      <div class="slips" data-testid="slips">
        {slips.map(({ section: of, pairing }) => (
          <div class="slip" key={pairing.pairing}>
            <strong>{tx('Table {table}', { table: pairing.table })}</strong>
            <p>{tx('{name} · {section}, round {round}', { name: event?.name, section: of.section, round: pairing.round })}</p>
            {pairing.names.map((name, side) => (
              <p key={side} class="sign">
                <span>☐</span> <strong>{name}</strong>
              </p>
            ))}
            <p class="sign">{tx('{span} Draw', { span: <span>☐</span> })}</p>
            <p class="sign">{t('Signed, first side')}</p>
            <p class="sign">{t('Signed, second side')}</p>
          </div>
        ))}
      </div>
    </main>
  );
}

const PLACES = 10;

/** Prizes by place, of each section, and its clubs. Level entrants are marked: a director decides on them. */
export function PrizesPage({ me }: { readonly me: Me }) {
  const { event, note } = useSheet();
  const sheets = useStandings(event);
  const [places, setPlaces] = useState(PLACES);
  return (
    <main class="td">
      <Bar title={t('Prizes')} me={me} />
      {event === null && <p class="note" role="status">{note}</p>}
      <label class="print-never">
        {t('Places')}
        <input type="number" min={1} max={200} value={places} onInput={(input) => setPlaces(Number(input.currentTarget.value))} />
      </label>
      {event?.sections.map(({ section, rounds, entrants }) => {
        const sheet = sheets.find((one) => one.section === section);
        if (sheet === undefined) return null;
        const { standings, clubs } = sheet;
        const people = (number: number) => entrants.find((one) => one.number === number);
        const named = (number: number, name: string) => {
          const players = people(number)?.players.map((one) => one.name) ?? [];
          return players.length > 1 ? `${people(number)?.name ?? name}: ${players.join(', ')}` : (players[0] ?? name);
        };
        return (
          <section key={section} data-testid="prizes" data-section={section}>
            <h2>{section}</h2>
            {standings.provisional && <p class="note">{t('Results have yet to be confirmed: these places are not final.')}</p>}
            {standings.after_round < rounds && <p class="td-soft">{tx('After round {afterround} of {rounds}.', { afterround: standings.after_round, rounds })}</p>}
            <ol class="entrants">
              {standings.rows.slice(0, Math.max(1, places)).map((row) => {
                const level = standings.rows.filter((other) => other.rank === row.rank).length;
                return (
                  <li key={row.number}>
                    <span>
                      {row.rank}. {named(row.number, row.name)} <span class="td-soft">{tx('{score} {score|one:point|other:points}{level}', { score: row.score, level: level > 1 && t(', {level} are level', { level }) })}</span>
                    </span>
                  </li>
                );
              })}
            </ol>
            {clubs !== null && (
              <>
                <h3>{t('Clubs')}</h3>
                <ol class="entrants">
                  {clubs.rows.filter(({ rank }) => rank !== null).slice(0, Math.max(1, places)).map((row) => (
                    <li key={row.number}>
                      <span>{row.rank}. {row.name} <span class="td-soft">{tx('{score} {score|one:point|other:points}', { score: row.score })}</span></span>
                    </li>
                  ))}
                </ol>
              </>
            )}
          </section>
        );
      })}
      {event !== null && event.sections.length === 0 && <p class="note">{t('No section yet. Places appear here once a list is imported on Event and results are confirmed.')}</p>}
    </main>
  );
}

/** Places with a certificate, unless another number is chosen. */
const HONOURED = 3;

/** A certificate a page for each player of the first places, by section. Names are whole here: paper goes into the child's own hand. */
export function CertificatesPage({ me }: { readonly me: Me }) {
  const { event, note } = useSheet();
  const sheets = useStandings(event);
  const [places, setPlaces] = useState(HONOURED);
  const [section, setSection] = useState('');
  const [text, setText] = useState(() => new Date().toLocaleDateString(language, { dateStyle: 'long' }));
  const wanted = sheets.filter((one) => section === '' || one.section === section);
  const of = event === null ? [] : wanted.flatMap((sheet) => certificates(event, sheet, places));
  const provisional = wanted.filter(({ standings }) => standings.provisional).map((one) => one.section);
  return (
    <main class="td td-wide">
      <Bar title={t('Certificates')} me={me} />
      {event === null && <p class="note" role="status">{note}</p>}
      <div class="fields print-never">
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
          {t('Places')}
          <input type="number" min={1} max={200} value={places} onInput={(input) => setPlaces(Number(input.currentTarget.value))} />
        </label>
        <label>
          {t('Place and date')}
          <input value={text} maxLength={100} onInput={(input) => setText(input.currentTarget.value)} />
        </label>
      </div>
      {provisional.length > 0 && <p class="note print-never">{tx('Results have yet to be confirmed in {provisional}: these places are not final.', { provisional: provisional.join(', ') })}</p>}
      {event !== null && of.length === 0 && <p class="note">{t('No points have been scored yet. Certificates appear here once results are confirmed.')}</p>}
      <div class="certificates" data-testid="certificates">
        {of.map((one) => (
          <section key={`${one.section} ${one.name}`} class="certificate">
            <p>{event?.name}</p>
            <h2>{one.name}</h2>
            {one.team !== '' && <p>{one.team}</p>}
            <p class="place">{one.place}</p>
            <p>{one.section}, {one.points}</p>
            <p class="sign">{text}</p>
            <p class="sign">{t('Director')}</p>
          </section>
        ))}
      </div>
    </main>
  );
}
