/** What follows from a decision: what the book gives, or something else that the director chooses. */
import { t } from '../../language/td';
import type { DirectorMatch, Seat } from '../../model/td/wire';
import { seatWords, seatsOf } from './words';

/** In place of what the rule gives, as the server takes it. */
export interface Remedy {
  readonly remedy: 'nothing' | 'loses-game' | 'draw' | 'set-right' | 'restart' | 'clocks-stand';
  readonly seat?: Seat;
}

interface Choice {
  readonly words: string;
  readonly remedy: Remedy;
}

/** Everything that can be chosen in a match. */
export function choicesOf(match: DirectorMatch): readonly Choice[] {
  const loses = seatsOf(match).map((seat): Choice => ({ words: t('{seat}, loses the game', { seat: seatWords(match, seat) }), remedy: { remedy: 'loses-game', seat } }));
  return [
    { words: t('Nothing'), remedy: { remedy: 'nothing' } },
    { words: t('Pieces or clock are set right'), remedy: { remedy: 'set-right' } },
    { words: t('The game starts again'), remedy: { remedy: 'restart' } },
    { words: t('The clocks stand until the piece is found'), remedy: { remedy: 'clocks-stand' } },
    { words: t('The game is drawn'), remedy: { remedy: 'draw' } },
    ...loses,
  ];
}

interface Props {
  readonly match: DirectorMatch;
  /** None: what the book gives. */
  readonly chosen: Choice | null;
  readonly choose: (choice: Choice | null) => void;
}

export function Follows({ match, chosen, choose }: Props) {
  const choices = choicesOf(match);
  return (
    <label>
      {t('What follows')}
      <select value={chosen?.words ?? ''} onChange={(event) => choose(choices.find(({ words }) => words === event.currentTarget.value) ?? null)}>
        <option value="">{t('Remedy by the book')}</option>
        {choices.map(({ words }) => (
          <option key={words} value={words}>{words}</option>
        ))}
      </select>
    </label>
  );
}

export type { Choice };
