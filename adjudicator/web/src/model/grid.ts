/** Number and size of the tables that a projector shows at once. */

export interface Grid {
  readonly columns: number;
  readonly rows: number;
  /** Width of one tile. */
  readonly tile_px: number;
}

/** Tile height for a tile width: two boards side by side, and lines of text of constant height. */
export interface TileShape {
  readonly heightFor: (width_px: number) => number;
  readonly gap_px: number;
  /** Below this a tile cannot be read from the back of a hall. */
  readonly narrowest_px: number;
}

/** Height of the strips along a board's edges on a projector. */
export interface Edges {
  /** Clock and reserve one above the other, for there is height to spare. */
  readonly stacked: boolean;
  readonly clock_px: number;
  readonly held_px: number;
}

/** The least height of a clock or a reserve that is read from the back of a hall. */
export const EDGE_LEAST_PX = 34;
/** Beside the pieces that are held a clock has this share of the board's width as its height, alone it may have more. */
const BESIDE = 0.18;
const ALONE = 0.3;

/** Edges that use the height there is, for a board so wide. */
export function edgesIn(height_px: number, board_px: number): Edges {
  if (height_px < 2 * EDGE_LEAST_PX) {
    const clock_px = Math.floor(Math.max(EDGE_LEAST_PX, Math.min(height_px, BESIDE * board_px)));
    return { stacked: false, clock_px, held_px: clock_px };
  }
  const clock_px = Math.floor(Math.max(EDGE_LEAST_PX, Math.min(0.55 * height_px, ALONE * board_px)));
  return { stacked: true, clock_px, held_px: Math.floor(Math.min(height_px - clock_px, ALONE * board_px)) };
}

const COLUMNS_MAX = 12;
const ROWS_MAX = 12;

/**
 * The grid with the largest tiles that still holds `tables`; if no grid of readable tiles holds
 * them all, the one that holds the most, and the rest goes to further pages.
 */
export function fitGrid(tables: number, width_px: number, height_px: number, shape: TileShape): Grid {
  let best: Grid = { columns: 1, rows: 1, tile_px: Math.min(width_px, shape.narrowest_px) };
  let bestHolds = 0;
  for (let columns = 1; columns <= COLUMNS_MAX; columns += 1) {
    for (let rows = 1; rows <= ROWS_MAX; rows += 1) {
      const tile_px = largestTile(columns, rows, width_px, height_px, shape);
      if (tile_px < shape.narrowest_px) break;
      const holds = Math.min(tables, columns * rows);
      if (holds > bestHolds || (holds === bestHolds && tile_px > best.tile_px)) {
        best = { columns, rows, tile_px };
        bestHolds = holds;
      }
    }
  }
  return best;
}

function largestTile(columns: number, rows: number, width_px: number, height_px: number, shape: TileShape): number {
  const widest = Math.floor((width_px - shape.gap_px * (columns - 1)) / columns);
  const highest = (height_px - shape.gap_px * (rows - 1)) / rows;
  let tile = widest;
  while (tile >= shape.narrowest_px && shape.heightFor(tile) > highest) tile -= 1;
  return tile;
}
