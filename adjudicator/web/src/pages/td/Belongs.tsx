/** Pairing of a match, and two touches that assign it to another, or to none. */
import { t, tx } from '../../language/td';
import type { DirectorMatch, PairingChoice } from '../../model/td/wire';
import { Sure } from './Sure';

interface Props {
  readonly match: DirectorMatch;
  readonly bind: (pairing: number | null, label: string) => void;
}

/** Source of the assignment, by the server's word for it. */
const BOUND: Readonly<Record<string, string>> = {
  expected: t('It is to be played at this table next; the first move binds it.'),
  played: t('It was to be played at this table when the first move was made.'),
  said: t('A director has said it.'),
};

export function Belongs({ match, bind }: Props) {
  const { choices, bound } = match.belongs;
  const now = choices.find(({ pairing }) => pairing === match.pairing);
  if (choices.length === 0) return null;
  const others = choices.filter(({ pairing }) => pairing !== match.pairing);
  return (
    <details data-testid="belongs" open={match.pairing === null && match.shown.plies.length > 0 && bound !== 'said'}>
      <summary>{tx('This match belongs to {more}', { more: now === undefined ? t('nobody’s pairing') : wordsOf(now) })}</summary>
      <p class="td-soft">{now === undefined && bound !== 'said' ? t('No pairing was left to be played at this table when it began.') : BOUND[bound]}</p>
      <div class="decisions">
        {others.map((choice) => (
          <Sure
            key={choice.pairing}
            label={wordsOf(choice)}
            says={choice.result === null ? t('this match is theirs') : t('this match is theirs; {result} is entered there', { result: choice.result })}
            act={() => bind(choice.pairing, t('belongs to {wordsOf}', { wordsOf: wordsOf(choice) }))}
          />
        ))}
        {(match.pairing !== null || bound !== 'said') && <Sure label={t('To nobody’s pairing')} says={t('a friendly match: its result counts nowhere')} act={() => bind(null, t('belongs to no pairing'))} />}
      </div>
    </details>
  );
}

function wordsOf({ round, names, table }: PairingChoice): string {
  return t('round {round}, table {table}: {names}', { round, table, names: names.join(' – ') });
}
