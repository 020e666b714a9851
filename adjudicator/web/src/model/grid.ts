/** How many tables a projector shows at once, and how large. */

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
