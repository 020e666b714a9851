/** What was entered wrongly, put right: a section's name, its rounds, the whole of it; an entrant's names, section, or the entry. */
import { useState } from 'preact/hooks';
import { freeNumber } from '../../model/td/desk';
import type { EventSheet, SectionSheet } from '../../model/td/wire';
import { Sure } from './Sure';

interface Props {
  readonly event: EventSheet;
  readonly section: SectionSheet;
  readonly act: (deed: unknown, label: string) => void;
}

export function SectionCorrections({ event, section, act }: Props) {
  const [name, setName] = useState(section.section);
  const [rounds, setRounds] = useState(section.rounds);
  const [into, setInto] = useState('');
  const { section: old, terms } = section;
  const others = event.sections.filter((one) => one.section !== old && one.game === section.game);
  return (
    <details data-testid="section-corrections">
      <summary>Put the section right</summary>
      <div class="fields">
        <label>
          Name
          <input value={name} maxLength={100} onInput={(input) => setName(input.currentTarget.value)} />
        </label>
        <Sure label="Rename" says={`${old} is called ${name.trim()}; directors of ${old} alone are invited again`} disabled={name.trim() === '' || name.trim() === old} act={() => act({ kind: 'section-renamed', section: old, name: name.trim() }, `section ${old} is called ${name.trim()}`)} />
        <label>
          Rounds
          <input type="number" min={Math.max(1, section.opened)} max={20} value={rounds} onInput={(input) => setRounds(Number(input.currentTarget.value))} />
        </label>
        <Sure label="Plan so many" says={`${rounds} rounds in place of ${section.rounds}`} disabled={terms === null || rounds === section.rounds} act={() => act({ kind: 'section-changed', section: old, terms: { ...terms, rounds } }, `${old}: ${rounds} rounds`)} />
        {others.length > 0 && (
          <label>
            It is a part of
            <select value={into} onChange={(change) => setInto(change.currentTarget.value)}>
              <option value="">Choose</option>
              {others.map((one) => (
                <option key={one.section}>{one.section}</option>
              ))}
            </select>
          </label>
        )}
        {others.length > 0 && <Sure label="Merge" says={`all ${section.entrants.length} play in ${into}, and ${old} is gone`} disabled={into === ''} act={() => act({ kind: 'sections-merged', section: old, into }, `${old} merged into ${into}`)} />}
        <Sure label="Remove the section" says={`${section.entrants.length} entrants and their players are gone; only before anybody is paired`} act={() => act({ kind: 'section-removed', section: old }, `section ${old} removed`)} />
      </div>
    </details>
  );
}

type Entrant = SectionSheet['entrants'][number];

/** Renaming a team after its section has started is the chief's, with a note. */
export function EntrantCorrections({ event, section, entrant, act }: Props & { readonly entrant: Entrant }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details data-testid={`entrant-${entrant.number}`} onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
      <summary>Put right</summary>
      {isOpen && <Fields event={event} section={section} entrant={entrant} act={act} />}
    </details>
  );
}

function Fields({ event, section, entrant, act }: Props & { readonly entrant: Entrant }) {
  const [names, setNames] = useState<Readonly<Record<string, string>>>({});
  const [note, setNote] = useState('');
  const [to, setTo] = useState('');
  const others = event.sections.filter((one) => one.section !== section.section && (one.game === 'teams') === (section.game === 'teams'));
  const target = others.find((one) => one.section === to);
  const why = note.trim() === '' ? {} : { note: note.trim() };
  const name = (key: string, old: string) => (names[key] ?? old).trim();
  const rename = (key: string, old: string, deed: Readonly<Record<string, unknown>>) => (
    <div key={key}>
      <label>
        {key === 'team' ? 'Team' : 'Player'}
        <input value={names[key] ?? old} maxLength={100} onInput={(input) => setNames({ ...names, [key]: input.currentTarget.value })} />
      </label>
      <Sure label="Rename" says={`${old} is called ${name(key, old)}`} disabled={name(key, old) === '' || name(key, old) === old} act={() => act({ ...deed, name: name(key, old), ...why }, `${old} is called ${name(key, old)}`)} />
    </div>
  );
  return (
    <div class="fields">
      {entrant.team !== null && rename('team', entrant.name, { kind: 'team-renamed', team: entrant.team })}
      {entrant.players.map(({ player, name: old }) => rename(`player ${player}`, old, { kind: 'player-renamed', player }))}
      <label>
        Why, where the section has started
        <input value={note} maxLength={100} onInput={(input) => setNote(input.currentTarget.value)} />
      </label>
      {others.length > 0 && (
        <div>
          <label>
            To section
            <select value={to} onChange={(change) => setTo(change.currentTarget.value)}>
              <option value="">Choose</option>
              {others.map((one) => (
                <option key={one.section}>{one.section}</option>
              ))}
            </select>
          </label>
          <Sure
            label="Move"
            says={`${entrant.name} plays in ${to}; only before they are paired`}
            disabled={target === undefined}
            act={() =>
              target !== undefined &&
              act(
                { kind: 'entrant-moved', section: section.section, number: entrant.number, to, as_number: freeNumber(target), from_round: Math.min(target.rounds, target.opened + 1) },
                `${entrant.name} to ${to}`,
              )
            }
          />
        </div>
      )}
      <Sure label="Remove the entry" says={`${entrant.name} and its players are gone; only before they are paired`} act={() => act({ kind: 'entrant-removed', section: section.section, number: entrant.number }, `${entrant.name} removed`)} />
    </div>
  );
}
