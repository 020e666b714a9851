/** Game and time control of a table, in words: "Chess · 40 moves in 90 min, then 30 min · 5 s delay". */
import { t } from '../language/language';
import type { PerMove, Table, TimeControl } from './wire';

/** Game and time control, as far as they are known. */
export function termsWords(table: Table): string {
  const game = table.game === 'chess' ? t('Chess') : t('Bughouse');
  return table.time === null ? game : `${game} · ${timeWords(table.time)}`;
}

/** Periods in the order in which they are played, then what each move gives back. */
export function timeWords({ periods, ...perMove }: TimeControl): string {
  const several = periods.length > 1;
  const words = periods.map(({ base_s, moves }, index) => {
    const time = duration(base_s);
    if (moves !== null) return t('{then}{moves} moves in {time}', { then: index === 0 ? '' : t('then '), moves, time });
    return several ? t('then {time}', { time }) : time;
  });
  const last = periods.at(-1);
  if (last !== undefined && last.moves !== null) words.push(t('and so on'));
  const parts = [words.join(', ')];
  const each = perMoveWords(perMove);
  if (each !== null) parts.push(each);
  return parts.join(' · ');
}

/** `5 s delay`, `2 s increment`; nothing where a move is given nothing. */
export function perMoveWords({ increment_s, delay_s, delay }: PerMove): string | null {
  if (increment_s > 0) return t('{increment} s increment', { increment: increment_s });
  if (delay_s > 0) return `${delay_s} s ${delay === 'bronstein' ? t('Bronstein delay') : t('delay')}`;
  return null;
}

/** `5 min`, `90 s`, `1 min 30 s`: minutes where they are whole, as events announce them. */
function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const rest = seconds % 60;
  return t('{n} min{more}', { n: Math.floor(seconds / 60), more: rest === 0 ? '' : ` ${rest} s` });
}
