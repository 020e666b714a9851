/** An organiser's file, or lines that are typed in: everything that is wrong is named before anything changes. */
import { useEffect, useState } from 'preact/hooks';
import { coded, langOf, t, tx } from '../../language/td';
import { upload } from '../../live/td/server';
import { type Columns, LISTS, type ListKind, type Source, fits, isChosen, keySource, sourceKey, sourceWords } from '../../model/td/lists';
import { type Preview, preview as previewOf } from '../../model/td/wire';

const BOOKS = ['us-chess-bughouse-2018', 'uscf-bughouse', 'nc-bughouse', 'mcsc-bughouse', 'nc-scholastic', 'nc-blitz', 'us-chess-blitz-2020',
  'fide-rapid-2023', 'fide-rapid-supervised-2023', 'fide-blitz-2023', 'fide-blitz-supervised-2023'];
const kept = (kind: string) => `twinboard.td.columns.${kind}`;

function remembered(kind: string): Columns | null {
  try {
    return JSON.parse(localStorage.getItem(kept(kind)) ?? 'null') as Columns | null;
  } catch {
    return null;
  }
}

/** The chosen file, its problems, and the import. */
function useList(done: () => void) {
  const [kind, setKind] = useState('teams');
  const [rulebook, setRulebook] = useState('us-chess-bughouse-2018');
  const [rounds, setRounds] = useState(5);
  const [file, setFile] = useState<File | null>(null);
  const [columns, setColumns] = useState<Columns | null>(null);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [note, setNote] = useState('');
  const [section, setSection] = useState('');
  const [round, setRound] = useState('');
  const [reason, setReason] = useState('');
  const people = kind === 'teams' || kind === 'players';
  const opens = people || kind === 'wintd' || kind === 'trf';
  const rows = kind === 'pairings' || kind === 'results';
  const query = (more: Record<string, string>, mapping: Columns | null) => {
    const about = new URLSearchParams({ kind, ...(opens ? { rulebook } : {}), ...(people ? { rounds: String(rounds) } : {}), ...more });
    if (section !== '') about.set('section', section);
    if (rows && round !== '') about.set('round', round);
    if (reason !== '') about.set('note', reason);
    if (mapping !== null) about.set('mapping', JSON.stringify({ columns: mapping }));
    return about;
  };
  const ask = (chosen: File, mapping: Columns | null) => upload(`/api/v1/td/event/preview?${query({}, mapping)}`, chosen, previewOf);

  /** Columns chosen for this file before, or kept from an earlier one, go before guessed ones, if the file has them. */
  const look = async (chosen: File | null, mapping: Columns | null) => {
    setFile(chosen);
    setPreview(null);
    setNote('');
    if (chosen === null) return;
    try {
      let found = await ask(chosen, mapping);
      const before = mapping === null ? [columns, remembered(kind)].find((one) => fits(one, found.header)) : undefined;
      if (before) found = await ask(chosen, before);
      setColumns(found.mapping?.columns ?? null);
      setPreview(found);
    } catch (error) {
      setNote(error instanceof Error ? error.message : String(error));
    }
  };
  // The terms of a new section change the problems of a file.
  useEffect(() => {
    if (file !== null) void look(file, columns);
  }, [rulebook, rounds, section, round, reason]);
  const choose = (next: string) => {
    setKind(next);
    setFile(null);
    setPreview(null);
    setColumns(null);
  };
  const take = async () => {
    if (file === null || preview === null) return;
    try {
      await upload(`/api/v1/td/event/import?${query({ acts: String(preview.acts), digest: preview.digest }, columns)}`, file, (body) => body);
      if (columns !== null) localStorage.setItem(kept(kind), JSON.stringify(columns));
      setNote(t('{name} was taken.', { name: file.name }));
      setReason('');
      setPreview(null);
      setFile(null);
      done();
    } catch (error) {
      setNote(error instanceof Error ? error.message : '');
    }
  };
  return { kind, choose, people, opens, rows, section, setSection, round, setRound, reason, setReason, rulebook, setRulebook, rounds, setRounds, file, columns, preview, note, look, take };
}

type List = ReturnType<typeof useList>;

export function Import({ done }: { readonly done: () => void }) {
  const list = useList(done);
  const { kind, note, preview, file, columns, look } = list;
  const about = LISTS.find((one) => one.kind === kind);
  return (
    <details data-testid="import">
      <summary>{t('Import a list: a file, or typed in')}</summary>
      <Choice list={list} />
      {about !== undefined && about.typed !== null && <Typed key={kind} header={about.typed} look={(typed) => void look(typed, null)} />}
      {note !== '' && <p class="note" role="status">{note}</p>}
      {preview !== null && (
        <div data-testid="preview">
          {about !== undefined && preview.header.length > 0 && (
            <Mapped list={about} header={preview.header} columns={columns ?? {}} choose={(next) => void look(file, next)} />
          )}
          <Problems preview={preview} />
          <Changes preview={preview} reason={list.reason} choose={list.setReason} />
          {preview.sound && <Outlook preview={preview} />}
          {preview.sound && preview.acts > 0 && <button class="strong" onClick={() => void list.take()}>{t('Import it')}</button>}
          {preview.sound && preview.acts === 0 && preview.changes.length === 0 && <p>{t('There is nothing new in it.')}</p>}
          {!preview.sound && <p>{t('Nothing was changed. Correct the errors and choose the file again.')}</p>}
        </div>
      )}
    </details>
  );
}

/** Kind of the list, terms of the sections that it opens, and the file. */
function Choice({ list }: { readonly list: List }) {
  return (
    <div class="fields">
      <label>
        {t('What it has')}
        <select value={list.kind} onChange={(event) => list.choose(event.currentTarget.value)}>
          {LISTS.map(({ kind, words }) => (
            <option key={kind} value={kind}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {list.opens && (
        <>
          <label>
            {t('Rulebook of new sections')}
            <select value={list.rulebook} onChange={(event) => list.setRulebook(event.currentTarget.value)}>
              {BOOKS.map((id) => (
                <option key={id}>{id}</option>
              ))}
            </select>
          </label>
        </>
      )}
      {list.people && (
        <label>
          {t('Rounds of new sections')}
          <input type="number" min={1} max={20} value={list.rounds} onInput={(event) => list.setRounds(Number(event.currentTarget.value))} />
        </label>
      )}
      <label>
        {t('Section, where the file names none')}
        <input value={list.section} onChange={(event) => list.setSection(event.currentTarget.value.trim())} />
      </label>
      {list.rows && (
        <label>
          {t('Round, where the file names none')}
          <input type="number" min={1} value={list.round} onChange={(event) => list.setRound(event.currentTarget.value)} />
        </label>
      )}
      <label>
        {t('File')}
        {/* A file that was put right has its old name: without this, browsers would not tell that it was chosen again. */}
        <input type="file" onClick={(event) => (event.currentTarget.value = '')} onChange={(event) => void list.look(event.currentTarget.files?.[0] ?? null, null)} />
      </label>
    </div>
  );
}

interface ChangesProps {
  readonly preview: Preview;
  readonly reason: string;
  readonly choose: (reason: string) => void;
}

/** Differences between file and event: a changed result needs a reason, and the rest is accepted without it. */
function Changes({ preview, reason, choose }: ChangesProps) {
  if (preview.changes.length === 0) return null;
  return (
    <section data-testid="changes">
      <h3>{t('What it changes')}</h3>
      <ul class="problems">
        {preview.changes.map((change, index) => (
          <li key={index} data-severity="warning">
            <strong>{change.is_taken ? t('Change') : t('Not taken')}</strong>
            {change.line !== null && t(', line {line}', { line: change.line })}: <span lang={langOf(change.what)}>{change.what}</span>
            {change.todo !== null && `; ${change.todo}`}
          </li>
        ))}
      </ul>
      {(reason !== '' || preview.changes.some((change) => !change.is_taken)) && (
        <label>
          {t('Why results or seats change')}
          <input value={reason} maxLength={100} onChange={(event) => choose(event.currentTarget.value.trim())} />
        </label>
      )}
    </section>
  );
}

/** The event after the import: sections, people, pairings. */
function Outlook({ preview }: { readonly preview: Preview }) {
  return (
    <section data-testid="outlook">
      {preview.outlook.parts.map((part, index) => (
        <details key={index} open={part.lines.length <= 12}>
          <summary>
            {part.title}
            {part.is_new && <strong> {' '}{t('new')}</strong>}
          </summary>
          <ul>
            {part.lines.map((line, at) => (
              <li key={at} lang={langOf(line)}>{line}</li>
            ))}
            {part.left_off > 0 && <li>{tx('and {leftoff} more', { leftoff: part.left_off })}</li>}
          </ul>
        </details>
      ))}
    </section>
  );
}

function Problems({ preview }: { readonly preview: Preview }) {
  return (
    <ul class="problems">
      {preview.problems.map((problem, index) => (
        <li key={index} data-severity={problem.severity}>
          <strong>{problem.line === null ? t('The file') : t('Line {line}', { line: problem.line })}</strong>
          {problem.column !== null && `, ${problem.column}`}: <span lang={langOf(problem.what)}>{problem.what}; {problem.todo}</span>
        </li>
      ))}
    </ul>
  );
}

/** A late entry, a pairing, a result: a line each, looked at like a file. */
function Typed({ header, look }: { readonly header: string; readonly look: (typed: File) => void }) {
  const [text, setText] = useState(`${header}\n`);
  return (
    <div class="typed">
      <label>
        {t('Or lines, with commas between the columns')}
        <textarea data-testid="typed" rows={4} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button disabled={text.trim() === header} onClick={() => look(new File([text], t('What was typed')))}>
        {t('Preview')}
      </button>
    </div>
  );
}

interface MappedProps {
  readonly list: ListKind;
  readonly header: readonly string[];
  readonly columns: Columns;
  readonly choose: (columns: Columns) => void;
}

/** Meanings of the columns: as guessed or remembered, to be corrected. */
function Mapped({ list, header, columns, choose }: MappedProps) {
  const isMissing = list.fields.slice(0, list.needed).some((field) => !isChosen(columns[field]));
  const put = (field: string, name: string) => {
    const next: Record<string, Source> = Object.fromEntries(Object.entries(columns).filter(([other, source]) => other !== field && isChosen(source)));
    if (name !== '') next[field] = keySource(name, header);
    choose(next);
  };
  return (
    <details data-testid="columns" open={isMissing}>
      <summary>{t('Which column is what')}</summary>
      <div class="fields">
        {list.fields.map((field, index) => (
          <label key={field}>
            {coded(field)}
            {index < list.needed && t(' (needed)')}
            <select value={sourceKey(columns[field], header)} onChange={(event) => put(field, event.currentTarget.value)}>
              <option value="">–</option>
              {typeof columns[field] === 'object' && <option value={sourceKey(columns[field], header)}>{sourceWords(columns[field])}</option>}
              {header.map((name, place) => (
                <option key={place} value={String(place + 1)}>
                  {name === '' || header.indexOf(name) !== place ? t('{name} (column {place})', { name, place: place + 1 }) : name}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
    </details>
  );
}
