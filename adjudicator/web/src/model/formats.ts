/** Conditions of the API's formats: what holds, and what is expected where it does not. */
import { isPlacement, isSquare } from './placement';

type Condition<T> = readonly [(value: T) => boolean, string];

export const placement: Condition<string> = [isPlacement, 'a FEN piece placement of 8 ranks'];
export const square: Condition<string> = [isSquare, 'a square from a1 to h8'];
/** Sums of many small numbers may end a little above 1. */
export const probability: Condition<number> = [(p) => p >= 0 && p <= 1.000001, 'a probability from 0 to 1'];
export const notEmpty: Condition<readonly unknown[]> = [({ length }) => length > 0, 'at least one'];
export const boards: Condition<{ readonly A: unknown; readonly B: unknown }> = [({ A, B }) => A !== null || B !== null, 'a board that has sensors'];
