/** Shape of the round on the page: boards or a list. */

/** Narrower than this a tile fills the screen, pixels. */
const NARROW_PX = 600;
/** More tables than this are found sooner in a list. */
const MANY = 12;

/** Shape by the address, else by an earlier choice on this device, else by the screen. */
export function asList(search: string, chosen: string | null, width_px: number, tables: number): boolean {
  const wish = new URLSearchParams(search).get('list') ?? chosen;
  return wish === null ? width_px < NARROW_PX && tables > MANY : wish === '1';
}

/** Keeps the choice on this device. */
export function keepShape(key: string, list: boolean): string {
  const wish = list ? '1' : '0';
  localStorage.setItem(key, wish);
  return wish;
}
