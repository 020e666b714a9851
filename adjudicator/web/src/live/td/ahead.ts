/** Loads the matches with open claims before a director goes there, because a dead spot of the hall has no network. */
import { type Need, directorMatch } from '../../model/td/wire';
import { keepMatch } from './kept';
import { get } from './server';

/** Maximum number of matches loaded at once; no hall has more open claims. */
const TABLES_MAX = 8;
/** No sooner is a table asked about again. */
const AGAIN_MS = 10_000;

export class Ahead {
  private readonly asked = new Map<string, number>();

  /** Asks about the tables of these items that were not asked about lately. */
  ask(needs: readonly Need[], now_ms: number): void {
    const tables = [...new Set(needs.filter(({ urgency, is_earlier }) => urgency === 'claim' && !is_earlier).map(({ table }) => table))].slice(0, TABLES_MAX);
    for (const [table, at_ms] of this.asked) if (now_ms - at_ms > AGAIN_MS) this.asked.delete(table);
    for (const table of tables.filter((one) => !this.asked.has(one))) {
      this.asked.set(table, now_ms);
      get(`/api/v1/td/tables/${encodeURIComponent(table)}`, directorMatch).then(keepMatch, () => this.asked.delete(table));
    }
  }
}
