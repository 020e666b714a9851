/** Whose match it is: which pairing it is of, and two touches that say it is of another, or of none. */
import type { DirectorMatch, PairingChoice } from '../../model/td/wire';
import { Sure } from './Sure';

interface Props {
  readonly match: DirectorMatch;
  readonly bind: (pairing: number | null, label: string) => void;
}

/** How it is known, by the server's word for it. */
const BOUND: Readonly<Record<string, string>> = {
  expected: 'It is to be played at this table next; the first move binds it.',
  played: 'It was to be played at this table when the first move was made.',
  said: 'A director has said it.',
};

export function Belongs({ match, bind }: Props) {
  const { choices, bound } = match.belongs;
  const now = choices.find(({ pairing }) => pairing === match.pairing);
  if (choices.length === 0) return null;
  const others = choices.filter(({ pairing }) => pairing !== match.pairing);
  return (
    <details data-testid="belongs" open={match.pairing === null && match.shown.plies.length > 0 && bound !== 'said'}>
      <summary>This match belongs to {now === undefined ? 'nobody’s pairing' : wordsOf(now)}</summary>
      <p class="td-soft">{now === undefined && bound !== 'said' ? 'No pairing was left to be played at this table when it began.' : BOUND[bound]}</p>
      <div class="decisions">
        {others.map((choice) => (
          <Sure
            key={choice.pairing}
            label={wordsOf(choice)}
            says={choice.result === null ? 'this match is theirs' : `this match is theirs; ${choice.result} is entered there`}
            act={() => bind(choice.pairing, `belongs to ${wordsOf(choice)}`)}
          />
        ))}
        {(match.pairing !== null || bound !== 'said') && <Sure label="To nobody’s pairing" says="a friendly match: its result counts nowhere" act={() => bind(null, 'belongs to no pairing')} />}
      </div>
    </details>
  );
}

function wordsOf({ round, names, table }: PairingChoice): string {
  return `round ${round}, table ${table}: ${names.join(' – ')}`;
}
