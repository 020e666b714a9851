/** What was entered wrongly, put right: a section's name, its rounds, the whole of it; an entrant's names, section, or the entry. */
import { useState } from 'preact/hooks';
import { t } from '../../language/td';
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
      <summary>{t('Put the section right')}</summary>
      <div class="fields">
        <label>
          {t('Name')}
          <input value={name} maxLength={100} onInput={(input) => setName(input.currentTarget.value)} />
        </label>
        <Sure label={t('Rename')} says={t('{old} is called {name}; directors of {old2} alone are invited again', { old, name: name.trim(), old2: old })} disabled={name.trim() === '' || name.trim() === old} act={() => act({ kind: 'section-renamed', section: old, name: name.trim() }, t('section {old} is called {name}', { old, name: name.trim() }))} />
        <label>
          {t('Rounds')}
          <input type="number" min={Math.max(1, section.opened)} max={20} value={rounds} onInput={(input) => setRounds(Number(input.currentTarget.value))} />
        </label>
        <Sure label={t('Plan so many')} says={t('{rounds} rounds in place of {rounds2}', { rounds, rounds2: section.rounds })} disabled={terms === null || rounds === section.rounds} act={() => act({ kind: 'section-changed', section: old, terms: { ...terms, rounds } }, t('{old}: {rounds} rounds', { old, rounds }))} />
        {others.length > 0 && (
          <label>
            {t('It is a part of')}
            <select value={into} onChange={(change) => setInto(change.currentTarget.value)}>
              <option value="">{t('Choose')}</option>
              {others.map((one) => (
                <option key={one.section}>{one.section}</option>
              ))}
            </select>
          </label>
        )}
        {others.length > 0 && <Sure label={t('Merge')} says={t('all {n} play in {into}, and {old} is removed', { n: section.entrants.length, into, old })} disabled={into === ''} act={() => act({ kind: 'sections-merged', section: old, into }, t('{old} merged into {into}', { old, into }))} />}
        <Sure label={t('Remove the section')} says={t('removes {n} entrants and their players; only before any of them is paired', { n: section.entrants.length })} act={() => act({ kind: 'section-removed', section: old }, t('section {old} removed', { old }))} />
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
      <summary>{t('Put right')}</summary>
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
        {key === 'team' ? t('Team') : t('Player')}
        <input value={names[key] ?? old} maxLength={100} onInput={(input) => setNames({ ...names, [key]: input.currentTarget.value })} />
      </label>
      <Sure label={t('Rename')} says={t('{old} is called {name}', { old, name: name(key, old) })} disabled={name(key, old) === '' || name(key, old) === old} act={() => act({ ...deed, name: name(key, old), ...why }, t('{old} is called {name}', { old, name: name(key, old) }))} />
    </div>
  );
  return (
    <div class="fields">
      {entrant.team !== null && rename('team', entrant.name, { kind: 'team-renamed', team: entrant.team })}
      {entrant.players.map(({ player, name: old }) => rename(t('player {player}', { player }), old, { kind: 'player-renamed', player }))}
      <label>
        {t('Why, where the section has started')}
        <input value={note} maxLength={100} onInput={(input) => setNote(input.currentTarget.value)} />
      </label>
      {others.length > 0 && (
        <div>
          <label>
            {t('To section')}
            <select value={to} onChange={(change) => setTo(change.currentTarget.value)}>
              <option value="">{t('Choose')}</option>
              {others.map((one) => (
                <option key={one.section}>{one.section}</option>
              ))}
            </select>
          </label>
          <Sure
            label={t('Move')}
            says={t('{name} plays in {to}; only before they are paired', { name: entrant.name, to })}
            disabled={target === undefined}
            act={() =>
              target !== undefined &&
              act(
                { kind: 'entrant-moved', section: section.section, number: entrant.number, to, as_number: freeNumber(target), from_round: Math.min(target.rounds, target.opened + 1) },
                t('{name} to {to}', { name: entrant.name, to }),
              )
            }
          />
        </div>
      )}
      <Sure label={t('Remove the entry')} says={t('removes {name} and its players; only before they are paired', { name: entrant.name })} act={() => act({ kind: 'entrant-removed', section: section.section, number: entrant.number }, t('{name} removed', { name: entrant.name }))} />
    </div>
  );
}
