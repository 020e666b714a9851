/** An organiser's file, or lines that are typed in: everything that is wrong is named before anything changes. */
import { useEffect, useState } from 'preact/hooks';
import { upload } from '../../live/td/server';
import { type Columns, LISTS, type ListKind, fits } from '../../model/td/lists';
import { type Preview, preview as previewOf } from '../../model/td/wire';

const BOOKS = ['us-chess-bughouse-2018', 'uscf-bughouse', 'nc-bughouse', 'mcsc-bughouse', 'nc-scholastic', 'nc-blitz', 'us-chess-blitz-2020'];
const kept = (kind: string) => `twinboard.td.columns.${kind}`;

function remembered(kind: string): Columns | null {
  try {
    return JSON.parse(localStorage.getItem(kept(kind)) ?? 'null') as Columns | null;
  } catch {
    return null;
  }
}

/** What is chosen, what is wrong with it, and how to take it. */
function useList(done: () => void) {
  const [kind, setKind] = useState('teams');
  const [rulebook, setRulebook] = useState('us-chess-bughouse-2018');
  const [rounds, setRounds] = useState(5);
  const [file, setFile] = useState<File | null>(null);
  const [columns, setColumns] = useState<Columns | null>(null);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [note, setNote] = useState('');
  const people = kind === 'teams' || kind === 'players';
  const query = (more: Record<string, string>, mapping: Columns | null) => {
    const about = new URLSearchParams({ kind, ...(people ? { rulebook, rounds: String(rounds) } : {}), ...more });
    if (mapping !== null) about.set('mapping', JSON.stringify({ columns: mapping }));
    return about;
  };
  const ask = (chosen: File, mapping: Columns | null) => upload(`/api/v1/td/event/preview?${query({}, mapping)}`, chosen, previewOf);

  /** What was chosen for the file before, or kept from an earlier one, goes before what is guessed, if the file has its columns. */
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
  // What a section is opened with changes what is wrong with a file.
  useEffect(() => {
    if (file !== null) void look(file, columns);
  }, [rulebook, rounds]);
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
      setNote(`${file.name} was taken: ${preview.acts} acts.`);
      setPreview(null);
      setFile(null);
      done();
    } catch (error) {
      setNote(error instanceof Error ? error.message : '');
    }
  };
  return { kind, choose, people, rulebook, setRulebook, rounds, setRounds, file, columns, preview, note, look, take };
}

type List = ReturnType<typeof useList>;

export function Import({ done }: { readonly done: () => void }) {
  const list = useList(done);
  const { kind, note, preview, file, columns, look } = list;
  const about = LISTS.find((one) => one.kind === kind);
  return (
    <details data-testid="import">
      <summary>Take a list: a file, or typed in</summary>
      <Choice list={list} />
      {about !== undefined && about.typed !== null && <Typed key={kind} header={about.typed} look={(typed) => void look(typed, null)} />}
      {note !== '' && <p class="note" role="status">{note}</p>}
      {preview !== null && (
        <div data-testid="preview">
          {about !== undefined && preview.header.length > 0 && (
            <Mapped list={about} header={preview.header} columns={columns ?? {}} choose={(next) => void look(file, next)} />
          )}
          <Problems preview={preview} />
          {preview.sound && preview.acts > 0 && <button class="strong" onClick={() => void list.take()}>Take it: {preview.acts} acts</button>}
          {preview.sound && preview.acts === 0 && <p>There is nothing new in it.</p>}
          {!preview.sound && <p>Nothing was changed. Put the errors right and look again.</p>}
        </div>
      )}
    </details>
  );
}

/** What the list has, how sections that it opens are played, and the file. */
function Choice({ list }: { readonly list: List }) {
  return (
    <div class="fields">
      <label>
        What it has
        <select value={list.kind} onChange={(event) => list.choose(event.currentTarget.value)}>
          {LISTS.map(({ kind, words }) => (
            <option key={kind} value={kind}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {list.people && (
        <>
          <label>
            Rulebook of new sections
            <select value={list.rulebook} onChange={(event) => list.setRulebook(event.currentTarget.value)}>
              {BOOKS.map((id) => (
                <option key={id}>{id}</option>
              ))}
            </select>
          </label>
          <label>
            Rounds of new sections
            <input type="number" min={1} max={20} value={list.rounds} onInput={(event) => list.setRounds(Number(event.currentTarget.value))} />
          </label>
        </>
      )}
      <label>
        File
        {/* A file that was put right has its old name: without this, browsers would not tell that it was chosen again. */}
        <input type="file" onClick={(event) => (event.currentTarget.value = '')} onChange={(event) => void list.look(event.currentTarget.files?.[0] ?? null, null)} />
      </label>
    </div>
  );
}

function Problems({ preview }: { readonly preview: Preview }) {
  return (
    <ul class="problems">
      {preview.problems.map((problem, index) => (
        <li key={index} data-severity={problem.severity}>
          <strong>{problem.line === null ? 'The file' : `Line ${problem.line}`}</strong>
          {problem.column !== null && `, ${problem.column}`}: {problem.what}; {problem.todo}
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
        Or lines, with commas between the columns
        <textarea data-testid="typed" rows={4} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button disabled={text.trim() === header} onClick={() => look(new File([text], 'What was typed'))}>
        Look at it
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

/** Which column is what: as it was guessed or remembered, to be put right. */
function Mapped({ list, header, columns, choose }: MappedProps) {
  const isMissing = list.fields.slice(0, list.needed).some((field) => columns[field] === undefined);
  const put = (field: string, name: string) => {
    const next: Record<string, string> = Object.fromEntries(Object.entries(columns).filter(([other]) => other !== field));
    if (name !== '') next[field] = name;
    choose(next);
  };
  return (
    <details data-testid="columns" open={isMissing}>
      <summary>Which column is what</summary>
      <div class="fields">
        {list.fields.map((field, index) => (
          <label key={field}>
            {field.replaceAll('-', ' ')}
            {index < list.needed && ' (needed)'}
            <select value={columns[field] ?? ''} onChange={(event) => put(field, event.currentTarget.value)}>
              <option value="">–</option>
              {header.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        ))}
      </div>
    </details>
  );
}
