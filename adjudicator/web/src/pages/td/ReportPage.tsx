/** After the round: what was decided, by section, match, table, player or director, to read, to print or to take as a file. */
import { useEffect, useState } from 'preact/hooks';
import { coded, langOf, language, t } from '../../language/td';
import { get, getText } from '../../live/td/server';
import { roleWords } from '../../model/td/appeals';
import { laterLines, supersededWords } from '../../model/td/ledger';
import { type Me, type ReportLine, report } from '../../model/td/wire';
import { TdMenu } from './TdMenu';

/** Filters of the lines. The server knows the first four, for the file. */
const LABELS = { section: t('Section'), table: t('Table'), match: t('Match'), who: t('Player or team'), person: t('Director'), kind: t('What') } as const;
type Key = keyof typeof LABELS;
const KEYS = Object.keys(LABELS) as readonly Key[];
const OF_FILE: readonly string[] = ['section', 'table', 'match', 'who'];

export function ReportPage({ me }: { readonly me: Me }) {
  const [lines, setLines] = useState<readonly ReportLine[] | null>(null);
  const [note, setNote] = useState(t('Loading…'));
  const [wanted, setWanted] = useState<Partial<Record<Key, string>>>({});
  useEffect(() => {
    get('/api/v1/td/ledger', report).then(
      (found) => setLines(found.lines),
      (error: unknown) => setNote(error instanceof Error ? error.message : ''),
    );
  }, []);
  const all = lines ?? [];
  const shown = all.filter((line) => KEYS.every((key) => wanted[key] === undefined || valuesOf(line, key).includes(wanted[key])));
  const after = laterLines(all);
  const values = (key: Key) => [...new Set(all.flatMap((line) => valuesOf(line, key)))].sort();
  const query = new URLSearchParams(Object.entries(wanted).filter(([key]) => OF_FILE.includes(key)));
  return (
    <div class="td">
      <header class="bar td-bar">
        <h1 tabIndex={-1}>{t('What was decided')}</h1>
        <TdMenu me={me} />
        <a class="button" href={`/api/v1/td/ledger.csv?${query}`} download="ledger.csv" onClick={save}>CSV</a>
        <button onClick={() => window.print()}>{t('Print')}</button>
      </header>
      {lines === null ? (
        <p class="note" role="status">{note}</p>
      ) : (
        <main class="td-report">
          <p class="paper-only">{[t('Decisions, as of {time}', { time: new Date().toLocaleString(language) }), ...KEYS.flatMap((key) => (wanted[key] === undefined ? [] : [`${LABELS[key]}: ${wanted[key]}`]))].join(' · ')}</p>
          <div class="fields">
            {KEYS.filter((key) => values(key).length > 1).map((key) => (
              <label key={key}>
                {LABELS[key]}
                <select value={wanted[key] ?? ''} onChange={(event) => setWanted(chosen(wanted, key, event.currentTarget.value))}>
                  <option value="">{t('All')}</option>
                  {values(key).map((value) => (
                    <option key={value} value={value}>{key === 'kind' ? coded(value) : value}</option>
                  ))}
                </select>
              </label>
            ))}
          </div>
          <ol class="ledger" data-testid="report">
            {shown.map((line) => (
              <li key={line.act + line.text} class={after.has(line.act) ? 'superseded' : ''}>
                <span>
                  {line.match === '' ? <strong>{placeOf(line)}</strong> : <a href={`/td/match/${encodeURIComponent(line.match)}`}>{placeOf(line)}</a>}{' '}
                  <span lang={langOf(line.text)}>{line.text}</span>
                  {line.note !== null && ` (${line.note})`}
                </span>
                <span class="td-soft">
                  {new Date(line.at_ms).toLocaleTimeString(language)} · {line.person}
                  {line.role !== '' && `, ${roleWords(line.role)}`}
                  {line.rules.length > 0 && ` · ${line.rules.join(', ')}`}
                </span>
                {after.has(line.act) && <em>{supersededWords(after.get(line.act) ?? line)}</em>}
              </li>
            ))}
          </ol>
          {shown.length === 0 && <p class="note">{t('Nothing was decided. Every entry and decision appears here.')}</p>}
        </main>
      )}
    </div>
  );
}

/** `Round 2, Table 4`; for lines without a table the section, or the event. */
function placeOf({ section, round, table }: ReportLine): string {
  const places = [round === null ? '' : t('Round {round}', { round }), table === '' ? (section ?? '') : t('Table {table}', { table })].filter((place) => place !== '');
  return places.length === 0 ? t('Event') : places.join(', ');
}

function valuesOf(line: ReportLine, key: Key): readonly string[] {
  const value = line[key];
  if (typeof value === 'string') return value === '' ? [] : [value];
  return value ?? [];
}

function chosen(wanted: Partial<Record<Key, string>>, key: Key, value: string): Partial<Record<Key, string>> {
  const { [key]: _, ...rest } = wanted;
  return value === '' ? rest : { ...rest, [key]: value };
}

/** A plain link carries the device's cookie and not its key, so the file is fetched. */
function save(event: MouseEvent) {
  event.preventDefault();
  const { pathname, search } = event.currentTarget as HTMLAnchorElement;
  void getText(pathname + search).then((text) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
    link.download = 'ledger.csv';
    link.click();
    URL.revokeObjectURL(link.href);
  });
}
