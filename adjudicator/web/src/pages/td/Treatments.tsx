/** Treatment of each kind of finding, for the event and for each section, with its rate of false alarms. */
import { useEffect, useState } from 'preact/hooks';
import { langOf, served, t } from '../../language/td';
import { get } from '../../live/td/server';
import { type FindingLine, type Me, type SectionSheet, TREATMENTS, findingLines } from '../../model/td/wire';
import type { Desk } from './useDesk';

interface Props {
  readonly sections: readonly SectionSheet[];
  readonly desk: Desk;
  readonly me: Me;
}

const WORDS = { alert: t('Alert'), list: t('List'), log: t('Log'), off: t('Off') } as const;

export function Treatments({ sections, desk, me }: Props) {
  const [lines, setLines] = useState<readonly FindingLine[]>([]);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (isOpen) get('/api/v1/td/findings', findingLines).then(setLines, () => undefined);
  }, [desk.outcomes, isOpen]);
  const choose = (section: string | null, { code }: FindingLine, treatment: string | null) =>
    desk.act({ of: 'treat', section, finding: code, treatment }, `${code}${section === null ? '' : t(' in {section}', { section })}: ${treatment ?? t('as the event')}`);
  return (
    <details data-testid="treatments" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('Findings on the list')}</summary>
      <p class="td-soft">{t('Alert: calls where the book allows it. List: among what is not urgent. Log: on the page of its match alone. Off: hidden; a claim about it is judged all the same.')}</p>
      <ul class="entrants">
        {lines.map((line) => (
          <li key={line.code} data-finding={line.code}>
            <span>
              <span lang={langOf(line.about)}>{served(line.about)}</span> <span class="td-soft" lang={langOf(line.cost)}>{line.code}: {line.cost}</span>
            </span>
            {me.rank === 'chief' && (
              <label>
                {t('Event')}
                <select value={line.treatment} onChange={(event) => choose(null, line, event.currentTarget.value)}>
                  {TREATMENTS.map((one) => (
                    <option key={one} value={one}>{WORDS[one]}</option>
                  ))}
                </select>
              </label>
            )}
            {sections.map(({ section }) => (
              <label key={section}>
                {section}
                <select value={line.sections[section] ?? ''} onChange={(event) => choose(section, line, event.currentTarget.value || null)}>
                  <option value="">{t('As the event')}</option>
                  {TREATMENTS.map((one) => (
                    <option key={one} value={one}>{WORDS[one]}</option>
                  ))}
                </select>
              </label>
            ))}
          </li>
        ))}
      </ul>
    </details>
  );
}
