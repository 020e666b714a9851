/**
 * A hall of tables that play recordings: publishes what an adjudicator would, revisions and doubts
 * included, under event ids that only grow.
 */
import { EventEmitter } from 'node:events';
import { Play } from './play.mjs';

const EVENTS_KEPT = 5_000;
/** A drop that was read wrongly is put right after this many more plies. */
const REVISED_AFTER = 6;

export class Hall extends EventEmitter {
  events = [];
  lastEventId = 0;

  constructor({ matches, chess, kinds, tables, rate, skip, delay_s, seed }) {
    super();
    this.setMaxListeners(0);
    Object.assign(this, { rate, delay_s });
    const random = mulberry32(seed);
    this.tables = Array.from({ length: tables }, (_, index) => {
      const kind = kinds[index % kinds.length];
      const record = kind === 'chess' ? chess : matches[index % matches.length];
      return new TablePlay(this, index, kind, record, random);
    });
    for (const table of this.tables) table.skip(skip === undefined ? Math.floor(random() * 60) : skip);
  }

  start() {
    for (const table of this.tables) table.schedule();
  }

  publish(name, match, data) {
    this.lastEventId += 1;
    const event = { id: this.lastEventId, name, match, data };
    this.events.push(event);
    if (this.events.length > EVENTS_KEPT) this.events.shift();
    this.emit('event', event);
  }

  /** The events after `id`, or nothing if some of them were deleted. */
  after(id) {
    if (id > this.lastEventId) return undefined;
    const oldest = this.events[0]?.id ?? this.lastEventId + 1;
    return id + 1 < oldest ? undefined : this.events.filter((event) => event.id > id);
  }

  round() {
    return {
      event: { name: 'Autumn Scholastic Bughouse', rulebook: 'us-chess-bughouse-2018' },
      last_event_id: String(this.lastEventId),
      now_ms: Date.now(),
      clock_rate: this.rate,
      delay_s: this.delay_s,
      tables: this.tables.map((table) => table.json()),
    };
  }

  /** No announcements, and no section with an end of its round. */
  notices() {
    return { now_ms: Date.now(), announcements: [], rounds: [] };
  }

  match(id) {
    const table = this.tables.find((candidate) => candidate.id === id);
    if (table === undefined) return undefined;
    const start = new Play().fen('A');
    return {
      table: table.json(),
      last_event_id: String(this.lastEventId),
      now_ms: Date.now(),
      clock_rate: this.rate,
      event: 'Autumn Scholastic Bughouse',
      opened_ms: table.opened_ms,
      decided: table.decided(),
      base_ms: table.record.base_ms,
      start: { A: start, B: table.sensed.includes('B') ? start : null },
      plies: table.plies,
    };
  }
}

const TEAMS = ['Lions', 'Otters', 'Falcons', 'Badgers', 'Comets', 'Knights of Elm Street', 'Pandas', 'Wolves'];

class TablePlay {
  shown = [];
  plies = [];
  state = 'set-up';
  sensors = 'live';
  result = null;

  /** `kind`: `bughouse`, `chess`, or `half` for a bughouse table of which board A alone has sensors. */
  constructor(hall, index, kind, record, random) {
    Object.assign(this, { hall, index, random, game: kind === 'chess' ? 'chess' : 'bughouse' });
    this.sensed = kind === 'bughouse' ? ['A', 'B'] : ['A'];
    this.record = { ...record, plies: record.plies.filter(({ board }) => this.sensed.includes(board)) };
    this.number = String(index + 1);
    this.id = `r1-t${this.number}`;
    this.clocks = { A: this.freshClock(), B: this.freshClock() };
    this.staleSince = null;
    this.opened_ms = Date.now();
  }

  /** A claim that was denied, of a match that has lasted long enough. */
  decided() {
    const [about, at] = ['The opponent\'s ply was illegal.', this.plies[20]];
    return at === undefined ? [] : [{ t_ms: at.t_ms, board: at.board, side: at.side, claim: 'illegal-ply', about, ply: null, ruling: 'denied' }];
  }

  freshClock() {
    return { white_ms: this.record.base_ms, black_ms: this.record.base_ms, running: null, read_at_ms: Date.now() };
  }

  skip(plies) {
    if (this.index % 13 === 12) return;
    while (this.shown.length < Math.min(plies, this.record.plies.length)) this.playNext(false);
    if (this.index % 9 === 7) {
      this.sensors = 'lost';
      this.staleSince = Date.now() - 47_000;
    }
  }

  schedule() {
    const next = this.record.plies[this.shown.length];
    if (next === undefined || this.sensors === 'lost') return;
    const clock = this.clocks[next.board];
    const side = this.play?.turn[next.board] ?? 'white';
    const left = side === 'white' ? clock.white_ms : clock.black_ms;
    const since = clock.running === side ? (Date.now() - clock.read_at_ms) * this.hall.rate : 0;
    const wait = (left - (next.clock_ms ?? left) - since) / this.hall.rate;
    const timer = setTimeout(() => {
      this.playNext(true);
      this.schedule();
    }, Math.min(20_000, Math.max(30, wait)));
    timer.unref();
  }

  playNext(tell) {
    const ply = this.record.plies[this.shown.length];
    this.state = 'playing';
    this.shown.push(this.firstReading(ply));
    let from = this.shown.length - 1;
    const due = this.shown.length - 1 - REVISED_AFTER;
    if (due >= 0 && this.shown[due].wrong) {
      this.shown[due] = { ...this.shown[due], ...this.record.plies[due], wrong: false, was: this.shown[due].san, p: 0.96 };
      from = due;
    }
    this.replay(from);
    this.readClock(ply, tell);
    if (this.shown.length === this.record.plies.length) this.end();
    if (!tell) return;
    this.hall.publish('plies', this.id, { match: this.id, from, plies: this.plies.slice(from), total: this.plies.length });
    this.hall.publish('table', null, this.json());
  }

  /** Drops are read with doubt, one in five of them wrongly at first. */
  firstReading(ply) {
    if (ply.uci[1] !== '@' || this.play === undefined) return { ...ply, p: 0.99 + this.random() * 0.01 };
    const right = ply.uci[0];
    const held = this.play.held(ply.board)[this.play.turn[ply.board]];
    const others = [...new Set(held)].filter((letter) => letter !== right && letter !== 'P');
    if (others.length === 0) return { ...ply, p: 1 };
    const p = 0.4 + this.random() * 0.5;
    const wrong = this.random() < 0.2;
    const first = wrong ? others[0] : right;
    const second = wrong ? right : others[0];
    const candidates = [
      { piece: first, p },
      { piece: second, p: (1 - p) * 0.8 },
    ];
    const put = (letter) => ({ uci: letter + ply.uci.slice(1), san: letter + ply.uci.slice(1) });
    return { ...ply, ...(wrong ? put(first) : {}), p, candidates, wrong };
  }

  /** Works out all positions again: a revision may have changed any of them. */
  replay(from) {
    const play = new Play();
    // Match time is what both players of a board have used, and never goes back.
    const left = { A: { white: this.record.base_ms, black: this.record.base_ms }, B: { white: this.record.base_ms, black: this.record.base_ms } };
    let t_ms = 0;
    this.plies = this.shown.map((shown, index) => {
      const doubt = shown.candidates && { p: shown.p, candidates: shown.candidates };
      const { side, number } = play.apply(shown.board, shown.uci, doubt);
      left[shown.board][side] = shown.clock_ms ?? left[shown.board][side];
      t_ms = Math.max(t_ms, 2 * this.record.base_ms - left[shown.board].white - left[shown.board].black);
      if (index < from) return this.plies[index];
      return {
        id: index + 1,
        n: index + 1,
        board: shown.board,
        side,
        number,
        san: shown.san.replace(/^@/, 'P@'),
        uci: shown.uci,
        p: shown.p,
        alternatives: (shown.candidates ?? []).map(({ piece, p }) => ({
          uci: piece + shown.uci.slice(1),
          san: piece + shown.uci.slice(1),
          p,
        })),
        clock_ms: shown.clock_ms,
        t_ms,
        illegal: index % 41 === 33 ? { reason: 'king-left-in-check', public: true } : null,
        was: shown.was ?? null,
        after: {
          fen: play.fen(shown.board),
          turn: play.turn[shown.board],
          reserves: this.reserves(play),
          uncertain: play.uncertain(shown.board),
        },
      };
    });
    this.play = play;
  }

  readClock(ply, tell) {
    const clock = { ...this.clocks[ply.board] };
    const mover = this.play.turn[ply.board] === 'white' ? 'black' : 'white';
    clock[`${mover}_ms`] = ply.clock_ms ?? clock[`${mover}_ms`];
    clock.running = this.play.turn[ply.board];
    clock.read_at_ms = Date.now();
    this.clocks[ply.board] = clock;
    const other = ply.board === 'A' ? 'B' : 'A';
    if (!this.sensed.includes(other)) return;
    if (this.clocks[other].running === null) {
      this.clocks[other] = { ...this.clocks[other], running: this.play.turn[other], read_at_ms: Date.now() };
    } else if (!tell) {
      this.clocks[other].read_at_ms = Date.now();
    }
  }

  end() {
    const last = this.plies.at(-1);
    const winner = (last.board === 'A') === (last.side === 'white') ? 1 : 2;
    const mate = last.san.includes('#');
    const team = this.teams()[winner - 1];
    this.state = 'ended';
    this.result = {
      winner,
      board: last.board,
      reason: mate ? 'mate' : 'flag',
      text: mate ? `${team} win: mate on board ${last.board}.` : `${team} win: flag down on board ${last.board}.`,
      confirmed: false,
      confirmed_by: null,
    };
    for (const board of ['A', 'B']) this.clocks[board] = { ...this.clocks[board], running: null };
    if (this.game === 'chess') this.result.text = `${winner === 1 ? 'White' : 'Black'} wins: ${mate ? 'mate' : 'flag down'}.`;
  }

  /** Known where both boards are seen. */
  reserves(play) {
    return this.sensed.length === 2 ? { A: play.held('A'), B: play.held('B') } : { A: null, B: null };
  }

  time() {
    const { base_ms, periods } = this.record;
    const whole = [{ base_s: base_ms / 1000, moves: null }];
    return this.game === 'chess' ? { periods, delay_s: 5, delay: 'us' } : { periods: whole };
  }

  teams() {
    return [TEAMS[(this.index * 2) % TEAMS.length], TEAMS[(this.index * 2 + 1) % TEAMS.length]];
  }

  json() {
    const board = (name) => {
      const last = this.plies.findLast((ply) => ply.board === name);
      const play = this.play ?? new Play();
      const state = last?.san.includes('#') ? 'mate' : last?.san.includes('+') ? 'check' : 'normal';
      return {
        fen: play.fen(name),
        turn: play.turn[name],
        last: last?.uci ?? null,
        state,
        uncertain: play.uncertain(name),
        reserves: this.reserves(play)[name],
        clock: this.clocks[name],
      };
    };
    return {
      table: this.number,
      label: `Table ${this.number}`,
      section: this.index % 2 === 0 ? 'Primary' : 'Elementary',
      game: this.game,
      time: this.time(),
      teams: this.game === 'chess' ? null : this.teams(),
      match: this.plies.length > 0 ? this.id : null,
      state: this.state,
      sensors: this.sensors,
      stale_since_ms: this.staleSince,
      boards: { A: board('A'), B: this.sensed.includes('B') ? board('B') : null },
      ply_count: this.plies.length,
      result: this.result,
      delay_s: this.hall.delay_s,
    };
  }
}

function mulberry32(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
