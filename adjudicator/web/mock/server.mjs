/**
 * A stand-in for the adjudicator: the same addresses and messages, played from recordings, and the
 * bad days of a network on demand. Serves the built pages as well.
 *
 *   node mock/server.mjs [--port 8090] [--tables 3] [--rate 4] [--skip PLIES] [--delay-s 0] [--seed 1]
 *                       [--kinds bughouse,chess,half]   what the tables play, in turn; half: board B has no sensors
 *
 * POST /mock/outage?ms=5000   every connection breaks, and none is accepted for that long
 * POST /mock/silence?ms=9000  connections stay open, but nothing is sent
 * POST /mock/forget           the events so far are deleted: a client that resumes has to start over
 * POST /mock/misfit           sends one message that is not of the agreed shape
 */
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Hall } from './hall.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DIST = join(HERE, '..', 'dist');
/** Two sections as an adjudicator answered: teams, and players who change partners. */
const EVENT = JSON.parse(readFileSync(join(HERE, 'event.json'), 'utf8'));
const BEAT_EVERY_MS = 2_000;
/** The adjudicator's content policy for its pages; it holds here too. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "font-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

/** Starts a mock server; resolves to its address and a way to stop it. */
export async function startMock(options = {}) {
  const { port = 0, recording = join(HERE, 'matches.json'), ...rest } = options;
  const { matches, chess } = JSON.parse(readFileSync(recording, 'utf8'));
  const hall = new Hall({ matches, chess, kinds: ['bughouse'], tables: 3, rate: 4, delay_s: 0, seed: 1, ...rest });
  const line = { downUntil: 0, silentUntil: 0, streams: new Set() };
  const server = createServer((request, response) => answer(hall, line, request, response));
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  hall.start();
  return {
    hall,
    line,
    address: `http://127.0.0.1:${server.address().port}`,
    outage: (ms) => outage(line, ms),
    stop: () => {
      for (const stream of line.streams) stream.destroy();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function outage(line, ms) {
  line.downUntil = Date.now() + ms;
  for (const stream of line.streams) stream.destroy();
}

function answer(hall, line, request, response) {
  const url = new URL(request.url, 'http://mock');
  if (url.pathname.startsWith('/mock/')) return control(hall, line, url, response);
  if (Date.now() < line.downUntil) return request.socket.destroy();
  if (url.pathname === '/api/v1/live') return live(hall, line, request, url, response);
  if (url.pathname === '/api/v1/round') return json(response, hall.round());
  const bpgn = /^\/api\/v1\/matches\/(.+)\.b?pgn$/.exec(url.pathname);
  if (bpgn) return record(hall, decodeURIComponent(bpgn[1]), response);
  const match = /^\/api\/v1\/matches\/(.+)$/.exec(url.pathname);
  if (match) {
    const found = hall.match(decodeURIComponent(match[1]));
    return found ? json(response, found) : json(response, { error: 'no such match' }, 404);
  }
  if (url.pathname === '/api/v1/event') return json(response, EVENT.event);
  if (url.pathname === '/api/v1/notices') return json(response, hall.notices());
  if (url.pathname === '/api/v1/at-table') return atTable(hall, request, response);
  if (url.pathname === '/api/v1/screen') return json(response, { now_ms: Date.now(), screen: 3, name: '', reloads: 0, shows: hall.screen_shows ?? null });
  if (url.pathname === '/api/v1/standings') return standings(url, response);
  if (url.pathname.startsWith('/api/')) return json(response, { error: 'no such thing' }, 404);
  return page(url, response);
}

/** A table's link: one pairing, and what its sides report. */
function atTable(hall, request, response) {
  hall.at_table ??= {
    event: 'Autumn Scholastic Bughouse', label: 'Table 4', call: null,
    pairings: [{ pairing: 7, section: 'K-5', round: 2, games: 1, sides: ['Harbor Hawks', 'Pine Pawns'], reports: [null, null], result: null, confirmed: false }],
  };
  const { at_table } = hall;
  if (request.method !== 'POST') return json(response, { now_ms: Date.now(), ...at_table });
  let body = '';
  request.on('data', (part) => (body += part));
  request.on('end', () => {
    const { deed } = JSON.parse(body);
    if (deed.of === 'report') at_table.pairings[0].reports[deed.side === 'first' ? 0 : 1] = { first: '1-0', second: '0-1', draw: '½-½' }[deed.games[0]];
    else at_table.call = deed.of === 'call' ? { since_ms: Date.now(), is_assigned: false } : null;
    json(response, { answer: 'taken', act: 1 });
  });
}

function standings(url, response) {
  const after = url.searchParams.get('after');
  const found = EVENT.standings[`${url.searchParams.get('section')}${after === null ? '' : ` after ${after}`}`];
  return found ? json(response, found) : json(response, { error: 'there is no such section' }, 404);
}

function json(response, body, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function record(hall, id, response) {
  const match = hall.match(id);
  if (match === undefined) return json(response, { error: 'no such match' }, 404);
  const moves = match.plies.map(
    ({ number, side, board, san, clock_ms }) =>
      `${number}${side === 'white' ? board : board.toLowerCase()}. ${san}{${(clock_ms / 1000).toFixed(1)}}`,
  );
  response.writeHead(200, { 'content-type': 'application/x-chess-pgn' });
  response.end(`[Event "${hall.round().event.name}"]\n\n${moves.join(' ')} *\n`);
}

/** A table that was sent before is sent as what has changed of it. */
function asPatch({ name, data }, sent) {
  if (name !== 'table' || typeof data.table !== 'string') return [name, data];
  const before = sent.get(data.table);
  sent.set(data.table, data);
  return before === undefined ? [name, data] : ['patch', { ...changed(before, data), table: data.table }];
}

/** JSON Merge Patch (RFC 7396). */
function changed(before, after) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
  const change = (name) => (isObject(before[name]) && isObject(after[name]) ? changed(before[name], after[name]) : (after[name] ?? null));
  return Object.fromEntries(names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).map((name) => [name, change(name)]));
}

function live(hall, line, request, url, response) {
  const match = url.searchParams.get('match');
  const from = Number(request.headers['last-event-id'] ?? url.searchParams.get('last_event_id') ?? hall.lastEventId);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  line.streams.add(response);
  const sent = new Map();
  const say = (event) => {
    if (Date.now() < line.silentUntil) return;
    if (event.name === 'plies' && event.match !== match) return;
    const id = event.id === undefined ? '' : `id: ${event.id}\n`;
    const [name, data] = url.searchParams.get('tables') === 'patches' ? asPatch(event, sent) : [event.name, event.data];
    response.write(`${id}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const missed = hall.after(from);
  if (missed === undefined) say({ name: 'reset', data: {} });
  else missed.forEach(say);
  const beat = () => say({ name: 'beat', data: { now_ms: Date.now() } });
  beat();
  const beats = setInterval(beat, BEAT_EVERY_MS);
  hall.on('event', say);
  response.on('close', () => {
    clearInterval(beats);
    hall.off('event', say);
    line.streams.delete(response);
  });
}

function control(hall, line, url, response) {
  const ms = Number(url.searchParams.get('ms') ?? 5_000);
  if (url.pathname === '/mock/outage') outage(line, ms);
  else if (url.pathname === '/mock/silence') line.silentUntil = Date.now() + ms;
  else if (url.pathname === '/mock/forget') hall.events.length = 0;
  else if (url.pathname === '/mock/misfit') hall.publish('table', null, { table: 7, boards: 'none' });
  else return json(response, { error: 'no such control' }, 404);
  return json(response, { done: url.pathname });
}

function page(url, response) {
  const asked = join(DIST, normalize(url.pathname));
  const file = asked.startsWith(DIST) && extname(asked) !== '' && existsSync(asked) ? asked : join(DIST, 'index.html');
  if (!existsSync(file)) return json(response, { error: 'the pages are not built: npm run build' }, 503);
  response.writeHead(200, {
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    'content-security-policy': POLICY,
  });
  return createReadStream(file).pipe(response);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const given = process.argv.slice(2);
  const option = (name, fallback) => {
    const at = given.indexOf(`--${name}`);
    return at < 0 ? fallback : Number(given[at + 1]);
  };
  const kinds = given.indexOf('--kinds');
  const { address } = await startMock({
    port: option('port', 8090),
    tables: option('tables', 3),
    rate: option('rate', 4),
    skip: option('skip', undefined),
    delay_s: option('delay-s', 0),
    seed: option('seed', 1),
    ...(kinds < 0 ? {} : { kinds: given[kinds + 1].split(',') }),
  });
  console.log(`The mock hall plays at ${address}`);
}
