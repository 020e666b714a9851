/**
 * Measures the automatic director on recorded rounds: `node checks/director.mjs FOLDER`. `cargo xtask director` makes the rounds and
 * calls this.
 *
 * The director looks as often as the scene does, at the tables as they were told by then. A match that was decided counts as seen if its
 * table was on the screen at that moment.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runnerImport } from 'vite';

const { module: director } = await runnerImport('./src/model/overlay/director.ts');
const { module: wire } = await runnerImport('./src/model/wire.ts');
const { LOOK_EVERY_MS, SHOT_MIN_MS, direct } = director;

/** Counts the decided matches that were on the screen, and measures the length of each shot. */
function watch(path) {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const told = lines.filter(({ table }) => table !== undefined);
  const decided = lines.filter((line) => line.decided !== undefined);
  const tables = new Map();
  const cuts = [];
  let shot = null;
  let next = 0;
  const first_ms = told[0].t_ms;
  const last_ms = told[told.length - 1].t_ms;
  for (let now_ms = first_ms; now_ms <= last_ms; now_ms += LOOK_EVERY_MS) {
    for (; next < told.length && told[next].t_ms <= now_ms; next += 1) {
      const table = wire.tableEvent(told[next].table, '');
      tables.set(table.table, table);
    }
    shot = direct(shot, [...tables.values()], now_ms, 1);
    const shown = shot?.table ?? null;
    if (shown !== (cuts.at(-1)?.table ?? null)) cuts.push({ at_ms: now_ms, table: shown, reason: shot?.reason });
  }
  const shownAt = (t_ms) => cuts.findLast(({ at_ms }) => at_ms <= t_ms)?.table;
  const seen = decided.map(({ t_ms, decided: { table, by } }) => ({ table, by, t_ms, seen: shownAt(t_ms) === table }));
  const lengths = cuts.slice(1).map(({ at_ms }, index) => at_ms - cuts[index].at_ms);
  return { seen, lengths, cuts, first_ms };
}

const [folder, detail] = process.argv.slice(2);
const rounds = readdirSync(folder).filter((name) => name.endsWith('.jsonl')).sort().map((name) => ({ name, ...watch(join(folder, name)) }));
const all = rounds.flatMap(({ seen }) => seen);
const lengths = rounds.flatMap((round) => round.lengths);
const share = (of) => `${of.filter(({ seen }) => seen).length} of ${of.length} (${((100 * of.filter(({ seen }) => seen).length) / Math.max(1, of.length)).toFixed(1)} %)`;
console.log(`${rounds.length} rounds, ${all.length} decided matches; on the screen when they were decided: ${share(all)}`);
for (const by of [...new Set(all.map((one) => one.by))].sort()) console.log(`  ${by}: ${share(all.filter((one) => one.by === by))}`);
const sorted = [...lengths].sort((a, b) => a - b);
console.log(`${lengths.length} shots, half of them longer than ${(sorted[sorted.length >> 1] / 1000).toFixed(1)} s, shorter than ${SHOT_MIN_MS / 1000} s: ${lengths.filter((length) => length < SHOT_MIN_MS).length}`);
if (detail === '--detail') {
  for (const { name, seen, cuts, first_ms } of rounds) {
    console.log(name);
    const at = (ms) => ((ms - first_ms) / 1000).toFixed(1);
    const told = [...seen.map((one) => [one.t_ms, `${one.seen ? 'seen  ' : 'MISSED'} table ${one.table} by ${one.by}`]), ...cuts.map((cut) => [cut.at_ms, `cut to ${cut.table}: ${cut.reason}`])];
    for (const [ms, words] of told.sort(([a], [b]) => a - b)) console.log(`  ${at(ms)} ${words}`);
  }
}
