/** Possible seats: partners at different boards with opposite colours. */

/** The four seats are White and Black at A, White and Black at B; two in chess. Ids of players. */
export type Seating = readonly number[];

/**
 * The seatings that the rules allow for two sides: one for each side that may have White at A, and for each partner who
 * may sit there. In chess who has White.
 */
export function seatings(first: readonly number[], second: readonly number[]): Seating[] {
  const [a, b] = first;
  const [c, d] = second;
  if (a === undefined || c === undefined) return [];
  if (b === undefined || d === undefined) return [[a, c], [c, a]];
  const pairs: Seating[] = [];
  for (const [one, other] of [[[a, b], [c, d]], [[c, d], [a, b]]] as const) {
    for (const [whiteA, blackB] of [one, [...one].reverse()] as const) {
      for (const [blackA, whiteB] of [other, [...other].reverse()] as const) {
        pairs.push([whiteA ?? 0, blackA ?? 0, whiteB ?? 0, blackB ?? 0]);
      }
    }
  }
  return pairs;
}
