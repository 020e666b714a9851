/** Papers of the event: result slips of the round for the tables, the lists of prizes by place, and certificates. */
import '../../style/notices.css';
import { useEffect, useState } from 'preact/hooks';
import { get } from '../../live/td/server';
import { type EventSheet, type Me, type StandingsSheet, eventSheet, standingsSheet } from '../../model/td/wire';
import { certificates } from '../../model/td/certificates';
import { TdMenu } from './TdMenu';

function useSheet(): { readonly event: EventSheet | null; readonly note: string } {
  const [event, setEvent] = useState<EventSheet | null>(null);
  const [note, setNote] = useState('Loading…');
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
      <button onClick={() => window.print()}>Print</button>
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
      <Bar title="Result slips" me={me} />
      {event === null && <p class="note" role="status">{note}</p>}
      {event !== null && event.sections.length > 1 && (
        <label class="print-never">
          Section
          <select value={section} onChange={(change) => setSection(change.currentTarget.value)}>
            <option value="">All</option>
            {event.sections.map((one) => (
              <option key={one.section}>{one.section}</option>
            ))}
          </select>
        </label>
      )}
      {event !== null && slips.length === 0 && <p class="note">No round is paired: open one and take its pairings on <a href="/td/event">Event</a>.</p>}
      <div class="slips" data-testid="slips">
        {slips.map(({ section: of, pairing }) => (
          <div class="slip" key={pairing.pairing}>
            <strong>Table {pairing.table}</strong>
            <p>{event?.name} · {of.section}, round {pairing.round}</p>
            {pairing.names.map((name, side) => (
              <p key={side} class="sign">
                <span>☐</span> <strong>{name}</strong>
              </p>
            ))}
            <p class="sign"><span>☐</span> Draw</p>
            <p class="sign">Signed, first side</p>
            <p class="sign">Signed, second side</p>
          </div>
        ))}
      </div>
    </main>
  );
}

const PLACES = 10;

/** Prizes by place, of each section, and its clubs. Who is level is said: a director decides what that means. */
export function PrizesPage({ me }: { readonly me: Me }) {
  const { event, note } = useSheet();
  const sheets = useStandings(event);
  const [places, setPlaces] = useState(PLACES);
  return (
    <main class="td">
      <Bar title="Prizes" me={me} />
      {event === null && <p class="note" role="status">{note}</p>}
      <label class="print-never">
        Places
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
            {standings.provisional && <p class="note">Results have yet to be confirmed: these places are not final.</p>}
            {standings.after_round < rounds && <p class="td-soft">After round {standings.after_round} of {rounds}.</p>}
            <ol class="entrants">
              {standings.rows.slice(0, Math.max(1, places)).map((row) => {
                const level = standings.rows.filter((other) => other.rank === row.rank).length;
                return (
                  <li key={row.number}>
                    <span>
                      {row.rank}. {named(row.number, row.name)} <span class="td-soft">{row.score} points{level > 1 && `, ${level} are level`}</span>
                    </span>
                  </li>
                );
              })}
            </ol>
            {clubs !== null && (
              <>
                <h3>Clubs</h3>
                <ol class="entrants">
                  {clubs.rows.filter(({ rank }) => rank !== null).slice(0, Math.max(1, places)).map((row) => (
                    <li key={row.number}>
                      <span>{row.rank}. {row.name} <span class="td-soft">{row.score} points</span></span>
                    </li>
                  ))}
                </ol>
              </>
            )}
          </section>
        );
      })}
      {event !== null && event.sections.length === 0 && <p class="note">No section yet.</p>}
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
  const [text, setText] = useState(() => new Date().toLocaleDateString([], { dateStyle: 'long' }));
  const wanted = sheets.filter((one) => section === '' || one.section === section);
  const of = event === null ? [] : wanted.flatMap((sheet) => certificates(event, sheet, places));
  const provisional = wanted.filter(({ standings }) => standings.provisional).map((one) => one.section);
  return (
    <main class="td td-wide">
      <Bar title="Certificates" me={me} />
      {event === null && <p class="note" role="status">{note}</p>}
      <div class="fields print-never">
        <label>
          Section
          <select value={section} onChange={(change) => setSection(change.currentTarget.value)}>
            <option value="">All</option>
            {event?.sections.map((one) => (
              <option key={one.section}>{one.section}</option>
            ))}
          </select>
        </label>
        <label>
          Places
          <input type="number" min={1} max={200} value={places} onInput={(input) => setPlaces(Number(input.currentTarget.value))} />
        </label>
        <label>
          Place and date
          <input value={text} maxLength={100} onInput={(input) => setText(input.currentTarget.value)} />
        </label>
      </div>
      {provisional.length > 0 && <p class="note print-never">Results have yet to be confirmed in {provisional.join(', ')}: these places are not final.</p>}
      {event !== null && of.length === 0 && <p class="note">Nobody has points yet.</p>}
      <div class="certificates" data-testid="certificates">
        {of.map((one) => (
          <section key={`${one.section} ${one.name}`} class="certificate">
            <p>{event?.name}</p>
            <h2>{one.name}</h2>
            {one.team !== '' && <p>{one.team}</p>}
            <p class="place">{one.place}</p>
            <p>{one.section}, {one.points}</p>
            <p class="sign">{text}</p>
            <p class="sign">Director</p>
          </section>
        ))}
      </div>
    </main>
  );
}
