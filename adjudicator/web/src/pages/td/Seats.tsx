/** Who sits where, chosen at the table with one tap. */
import { useEffect, useState } from 'preact/hooks';
import { t, tx } from '../../language/td';
import { get } from '../../live/td/server';
import { seatings } from '../../model/td/seats';
import { type EventSheet, type PairingSheet, type SectionSheet, eventSheet } from '../../model/td/wire';

interface Props {
  readonly pairing: PairingSheet;
  readonly section: SectionSheet;
  readonly act: (deed: unknown, label: string) => void;
}

/** The same at the table's own page: whoever stands there sees who sits where. */
export function SeatsOf({ pairing, act }: { readonly pairing: number; readonly act: Props['act'] }) {
  const [event, setEvent] = useState<EventSheet | null>(null);
  useEffect(() => {
    get('/api/v1/td/event', eventSheet).then(setEvent, () => undefined);
  }, [pairing]);
  const section = event?.sections.find((one) => one.pairings.some((it) => it.pairing === pairing));
  const found = section?.pairings.find((it) => it.pairing === pairing);
  if (section === undefined || found === undefined) return null;
  const again = (deed: unknown, label: string) => {
    act(deed, label);
    const { seats } = deed as { readonly seats: readonly number[] };
    const sits = (it: PairingSheet) => (it.pairing === pairing ? { ...it, seats: [...seats], seats_as_paired: false } : it);
    setEvent((old) => old && { ...old, sections: old.sections.map((one) => ({ ...one, pairings: one.pairings.map(sits) })) });
  };
  return <Seats pairing={found} section={section} act={again} />;
}

export function Seats({ pairing, section, act }: Props) {
  const [isOpen, setOpen] = useState(false);
  const playersOf = (numbers: readonly number[]) =>
    numbers.flatMap((number) => section.entrants.find((entrant) => entrant.number === number)?.players ?? []);
  const sides = pairing.sides.map(playersOf);
  const names = new Map(sides.flat().map(({ player, name }) => [player, name]));
  const [first = [], second = []] = sides.map((players) => players.map(({ player }) => player));
  const name = (player: number | undefined) => names.get(player ?? 0) ?? '?';
  const words = (seats: readonly number[]) =>
    seats.length === 2
      ? t('White {name}, Black {name2}', { name: name(seats[0]), name2: name(seats[1]) })
      : `A: ${name(seats[0])} – ${name(seats[1])} · B: ${name(seats[2])} – ${name(seats[3])}`;
  const begun = pairing.running || pairing.result !== null;
  const choose = (seats: readonly number[]) => {
    const note = begun ? { note: 'corrected at the table' } : {};
    act({ kind: 'seats-chosen', pairing: pairing.pairing, seats, ...note }, t('table {table}: {words}', { table: pairing.table, words: words(seats) }));
    setOpen(false);
  };
  return (
    <details class="seats" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)} data-testid={`seats-${pairing.pairing}`}>
      <summary>{pairing.seats.length === 0 ? t('Who sits where?') : `${words(pairing.seats)}${pairing.seats_as_paired ? t(' (as paired)') : ''}`}</summary>
      <p class="td-soft">{tx('White is named first.{seatsaspaired}', { seatsaspaired: pairing.seats_as_paired && t(' Unless you choose, they sit in the order of the list of pairings; the result counts so.') })}</p>
      {seatings(first, second).map((seats) => (
        <button key={seats.join()} aria-pressed={seats.join() === pairing.seats.join()} onClick={() => choose(seats)}>
          {words(seats)}
        </button>
      ))}
    </details>
  );
}
