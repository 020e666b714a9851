/** Links that were just made, each a slip with its code, to be printed at once: they are kept nowhere. */
import { t } from '../../language/td';
import { Code } from './Code';

export interface Slip {
  readonly title: string;
  /** Event and place, in small. */
  readonly of: string;
  readonly path: string;
  readonly code: string | null;
}

export function LinkSlips({ made, says, close }: { readonly made: readonly Slip[]; readonly says: string; readonly close: () => void }) {
  return (
    <section data-testid="links">
      <p class="print-never decisions">
        <button class="strong" onClick={() => window.print()}>{made.length === 1 ? t('Print it') : t('Print all {n}', { n: made.length })}</button>
        <button onClick={close}>{t('Done')}</button>
      </p>
      <div class="slips">
        {made.map(({ title, of, path, code }) => (
          <div class="slip" key={path}>
            <strong>{title}</strong>
            <p>{of}</p>
            {code !== null && <Code rows={code.split('/')} />}
            <p>{says}</p>
            <p class="td-soft">{window.location.origin + path}</p>
          </div>
        ))}
      </div>
    </section>
  );
}
