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

/**
 * The grid with the largest tiles that still holds `tables`; if no grid of readable tiles holds
 * them all, the one that holds the most, and the rest goes to further pages.
 */
export function fitGrid(tables: number, width_px: number, height_px: number, shape: TileShape): Grid {
  let best: Grid = { columns: 1, rows: 1, tile_px: Math.min(width_px, shape.narrowest_px) };
  let bestHolds = 0;
  const COLUMNS_MAX = 12;
  for (let columns = 1; columns <= COLUMNS_MAX; columns += 1) {
    const grid = gridOf(columns, tables, width_px, height_px, shape);
    if (grid === undefined) continue;
    const holds = Math.min(tables, grid.columns * grid.rows);
    if (holds > bestHolds || (holds === bestHolds && grid.tile_px > best.tile_px)) {
      best = grid;
      bestHolds = holds;
    }
  }
  return best;
}

function gridOf(
  columns: number,
  tables: number,
  width_px: number,
  height_px: number,
  shape: TileShape,
): Grid | undefined {
  const widest = (width_px - shape.gap_px * (columns - 1)) / columns;
  if (widest < shape.narrowest_px) return undefined;
  const rowsAt = (tile: number): number =>
    Math.floor((height_px + shape.gap_px) / (shape.heightFor(tile) + shape.gap_px));
  const needed = Math.ceil(tables / columns);
  // Narrower tiles are lower, so more rows fit: shrink until all tables do, or reading ends.
  let tile = Math.floor(widest);
  while (rowsAt(tile) < needed && tile > shape.narrowest_px) tile -= 1;
  const rows = Math.min(needed, rowsAt(tile));
  return rows < 1 ? undefined : { columns, rows, tile_px: tile };
}
