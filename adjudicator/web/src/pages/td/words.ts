/** Words that several of the directors' pages share. */
import { coded, served, t } from '../../language/td';
import type { DirectorMatch, Seat, Verdict } from '../../model/td/wire';
import { seatLabel } from '../../model/names';

const SEATS: readonly Seat[] = ['white-a', 'black-a', 'white-b', 'black-b'];

/** The seats of a match: two in a game of chess. */
export function seatsOf(match: DirectorMatch): readonly Seat[] {
  return match.shown.table.game === 'chess' ? SEATS.slice(0, 2) : SEATS;
}

/** `White at A, Ada`. */
export function seatWords(match: DirectorMatch, seat: Seat): string {
  const [color, board] = seat.split('-') as ['white' | 'black', 'a' | 'b'];
  const at = board === 'a' ? 'A' : 'B';
  const name = match.players[at][color] ?? seatLabel(match.shown.table, at, color);
  const side = color === 'white' ? t('White') : t('Black');
  const where = match.shown.table.game === 'chess' ? side : t('{side} at {at}', { side, at });
  return name === side ? where : `${where}, ${name}`;
}

export function teamWords(match: DirectorMatch, team: 'team-1' | 'team-2'): string {
  const { teams, game } = match.shown.table;
  if (game === 'chess') return seatWords(match, team === 'team-1' ? 'white-a' : 'black-a');
  return served(teams?.[team === 'team-1' ? 0 : 1] ?? (team === 'team-1' ? 'Team 1' : 'Team 2'));
}

/** Checks whether a claim is in time and which way the rule points, as the beginning of a text. */
export function verdictWords(verdict: Verdict): string {
  return `${coded(verdict.timing).replace(/^./, (letter) => letter.toUpperCase())}; ${pointsWords(verdict)}`;
}

/** Direction in which the rule points, or the reason why it is withheld. */
export function pointsWords({ points }: Verdict): string {
  return points === null ? t('what the evidence says is shown once you have decided') : t('the rule points to {points}', { points: coded(points) });
}
