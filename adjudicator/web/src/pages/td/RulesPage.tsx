/** A rulebook's clauses in our words, to be searched. */
import { useEffect, useState } from 'preact/hooks';
import { t } from '../../language/td';
import { get } from '../../live/td/server';
import { type Me, rulebook } from '../../model/td/wire';
import { TdMenu } from './TdMenu';
import type { Decoded } from '../../model/decode';

export function RulesPage({ me, book }: { readonly me: Me; readonly book: string }) {
  const [found, setFound] = useState<Decoded<typeof rulebook> | null>(null);
  const [note, setNote] = useState(t('Opening…'));
  const [typed, setTyped] = useState('');
  useEffect(() => {
    get(`/api/v1/td/rulebooks/${encodeURIComponent(book)}`, rulebook).then(setFound, (error: unknown) => setNote(error instanceof Error ? error.message : ''));
  }, [book]);
  if (found === null) {
    return (
      <main class="td">
        <TdMenu me={me} />
        <p class="note" role="status">{note}</p>
      </main>
    );
  }
  const words = typed.toLowerCase();
  const clauses = found.clauses.filter(({ number, text }) => number.toLowerCase().startsWith(words) || text.toLowerCase().includes(words));
  return (
    <main class="td rules">
      <header class="bar td-bar">
        <h1 tabIndex={-1}>{found.title}</h1>
        <TdMenu me={me} />
      </header>
      <input type="search" aria-label={t('Find in the book')} placeholder={t('Number or word')} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
      <dl>
        {clauses.map((clause) => (
          <div key={clause.number}>
            <dt>{clause.number}</dt>
            <dd>{clause.text}</dd>
          </div>
        ))}
      </dl>
      {clauses.length === 0 && <p class="note">{t('No clause has this.')}</p>}
    </main>
  );
}
