/**
 * A match as the page knows it: a snapshot, and the events that came after it. Plies arrive as
 * "replace everything from here on", so a revision of an old ply, a ply that is taken back and a
 * new ply are one case; what a revision changed on the boards is worked out by comparison.
 */
import { differingSquares } from './placement';
import { BOARDS, type BoardId, type MatchSnapshot, type PliesEvent, type Ply, type Ruled, type Table } from './wire';

/** A square whose piece a revision changed, and the number of the change, so that each shows once. */
export interface RevisedSquare {
  readonly board: BoardId;
  readonly square: string;
}

export interface Match {
  readonly id: string;
  readonly table: Table;
  readonly base_ms: number;
  readonly start: { readonly A: string | null; readonly B: string | null };
  readonly plies: readonly Ply[];
  /** Claims that directors have ruled on, oldest first, as of the snapshot. */
  readonly decided: readonly Ruled[];
  /** Changes of the last revision on the present boards. */
  readonly revised: readonly RevisedSquare[];
  /** Counts the revisions seen, so that the sign of one is not taken for that of the next. */
  readonly revision: number;
  /** Sentences for readers who do not see the boards, newest last. */
  readonly news: readonly News[];
}

/** A recent event. */
export type News =
  | { readonly kind: 'ply'; readonly ply: Ply }
  | { readonly kind: 'revised'; readonly ply: Ply; readonly was: string };

export function fromSnapshot(id: string, snapshot: MatchSnapshot): Match {
  return {
    id,
    table: snapshot.table,
    base_ms: snapshot.base_ms,
    start: snapshot.start,
    plies: snapshot.plies,
    decided: snapshot.decided,
    revised: [],
    revision: 0,
    news: [],
  };
}

/** The match after its table's line has changed; another match at the same table changes nothing. */
export function withTable(match: Match, table: Table): Match {
  return table.match === match.id ? { ...match, table } : match;
}

/**
 * The match after `event`; nothing if the event does not fit what the page has (plies are missing
 * before it), in which case the page has to fetch the match again.
 */
export function withPlies(match: Match, event: PliesEvent): Match | undefined {
  if (event.match !== match.id) return match;
  if (event.from < 0 || event.from > match.plies.length) return undefined;
  const plies = [...match.plies.slice(0, event.from), ...event.plies];
  if (plies.length !== event.total) return undefined;
  const revised = BOARDS.flatMap((board) => revisedSquares(match.plies, plies, board));
  return {
    ...match,
    plies,
    revised: revised.length > 0 ? revised : match.revised,
    revision: match.revision + (revised.length > 0 ? 1 : 0),
    news: newsOf(match.plies, plies),
  };
}

/** Compares one board after the latest ply that both lists know. */
function revisedSquares(before: readonly Ply[], after: readonly Ply[], board: BoardId): RevisedSquare[] {
  const known = new Map(before.filter((ply) => ply.board === board).map((ply) => [ply.id, ply]));
  const common = after.findLast((ply) => ply.board === board && known.has(ply.id));
  const was = common === undefined ? undefined : known.get(common.id);
  if (common === undefined || was === undefined) return [];
  return differingSquares(was.after.fen, common.after.fen).map((square) => ({ board, square }));
}

function newsOf(before: readonly Ply[], after: readonly Ply[]): News[] {
  const known = new Map(before.map((ply) => [ply.id, ply]));
  return after.flatMap((ply): News[] => {
    const was = known.get(ply.id);
    if (was === undefined) return [{ kind: 'ply', ply }];
    return was.uci === ply.uci ? [] : [{ kind: 'revised', ply, was: was.san }];
  });
}
