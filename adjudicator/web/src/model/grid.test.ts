import { describe, expect, it } from 'vitest';
import { EDGE_LEAST_PX, edgesIn, fitGrid } from './grid';

describe('a projector’s grid', () => {
  const shape = { heightFor: (width: number) => width * 0.6 + 100, gap_px: 10, narrowest_px: 300 };
  const fits = (tables: number, width: number, height: number) => {
    const grid = fitGrid(tables, width, height, shape);
    const wide = grid.columns * grid.tile_px + (grid.columns - 1) * shape.gap_px;
    const high = grid.rows * shape.heightFor(grid.tile_px) + (grid.rows - 1) * shape.gap_px;
    return { grid, within: wide <= width && high <= height };
  };

  it.each([1, 2, 3, 7, 12, 40])('stays on the screen with %i tables', (tables) => {
    expect(fits(tables, 1896, 1000).within).toBe(true);
  });

  it('shows few tables as large as they go', () => {
    expect(fits(1, 1896, 1000).grid).toEqual({ columns: 1, rows: 1, tile_px: 1500 });
    const three = fits(3, 1896, 1000).grid;
    expect(three.columns * three.rows).toBeGreaterThanOrEqual(3);
  });

  it('fills the screen with readable tiles when there are too many', () => {
    const { grid } = fits(40, 1896, 1000);
    expect(grid.columns * grid.rows).toBe(18);
    expect(grid.tile_px).toBeGreaterThanOrEqual(shape.narrowest_px);
  });

  it('shows one tile even where none fits', () => {
    expect(fitGrid(5, 200, 100, shape)).toEqual({ columns: 1, rows: 1, tile_px: 200 });
  });
});

describe('the edges of a board on a projector', () => {
  it('use the height that there is, and put the clock above the pieces where both have room', () => {
    for (const height_px of [20, 50, 67, 68, 114, 300]) {
      const { stacked, clock_px, held_px } = edgesIn(height_px, 220);
      expect(clock_px).toBeGreaterThanOrEqual(EDGE_LEAST_PX);
      expect(held_px).toBeGreaterThanOrEqual(EDGE_LEAST_PX - 4);
      if (stacked) expect(clock_px + held_px).toBeLessThanOrEqual(height_px);
      expect(stacked).toBe(height_px >= 68);
    }
  });
});
