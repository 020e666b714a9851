/** Has the device call for what comes to the list, and for a line that is gone, on whichever of the directors' pages one is. */
import { useEffect, useState } from 'preact/hooks';
import { coded, served, t } from '../../language/td';
import { type Alarm, calls } from '../../live/td/calls';
import { post } from '../../live/td/server';
import { labelWords } from '../../model/names';
import { Watch } from '../../model/td/watch';
import type { Me, Need } from '../../model/td/wire';
import type { Desk } from './useDesk';

const LOOK_EVERY_MS = 1_000;
/** Interval of this phone's reports of its readiness. */
const REPORT_EVERY_MS = 20_000;
const watch = new Watch(sessionStorage);

/** So long a page that is not the list says what has called. */
const SAID_MS = 20_000;

const LINE_GONE = t('No connection');

/** What the page shows of it. */
export interface Called {
  readonly alarm: Alarm | null;
  readonly isSoundOn: boolean;
  /** What cannot be had here, or not yet, in sentences. */
  readonly missing: readonly string[];
  /** What called last, in words. */
  readonly said: string;
}

export function whereOf({ label, board, round }: Need): string {
  return `${labelWords(label)}${board === null ? '' : t(', board {board}', { board })}${round === null ? '' : t(', round {round}', { round })}`;
}

/** Who claims what, which the server writes in one sentence; null of an item that is no claim. */
export function claimOf({ what }: Need): { readonly seat: string; readonly about: string } | null {
  const [, side, board, about] = /^(White|Black)(?: at ([AB]))? claims: (.*)$/.exec(what) ?? [];
  if (side === undefined || about === undefined) return null;
  return { seat: board === undefined ? coded(side) : t('{side} at {at}', { side: coded(side), at: board }), about };
}

/** What an item is about. */
function needWords(need: Need): string {
  const claim = claimOf(need);
  return claim === null ? served(need.what) : t('{order}{seat} claims: {about}', { order: '', seat: claim.seat, about: served(claim.about) });
}

/** What has called, short enough for the line at the top. */
function wordsOf([first, ...others]: readonly Need[]): string {
  if (first === undefined) return '';
  return `${whereOf(first)}: ${needWords(first)}${others.length === 0 ? '' : t(' And {n} more.', { n: others.length })}`;
}

export function useCalls(me: Me, desk: Desk): Called {
  const [said, setSaid] = useState('');
  const [, again] = useState(0);
  useEffect(() => calls.onChange(() => again((count) => (count + 1) % 1024)), []);
  useEffect(() => {
    if (said === '') return;
    const timer = window.setTimeout(() => setSaid(''), SAID_MS);
    return () => window.clearTimeout(timer);
  }, [said]);
  useEffect(() => {
    // It is back: nobody has to wait for the words to go.
    if (desk.live) setSaid((old) => (old === LINE_GONE ? '' : old));
  }, [desk.live]);
  useEffect(() => {
    if (!desk.live) return;
    const called = watch.heard(me, desk.needs, desk.match?.shown.table.match ?? null);
    if (called.length === 0) return;
    calls.call('call');
    setSaid(wordsOf(called));
  }, [desk.needs, desk.live]);
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (!watch.isLineToBeCalled(desk.live, Date.now())) return;
      calls.call('line');
      setSaid(LINE_GONE);
    }, LOOK_EVERY_MS);
    return () => window.clearInterval(timer);
  }, [desk.live]);
  const sounds = calls.sounds();
  useEffect(() => {
    const report = () => void post('/api/v1/td/ready', { sound: sounds }, (body) => body).catch(() => undefined);
    report();
    const timer = window.setInterval(report, REPORT_EVERY_MS);
    return () => window.clearInterval(timer);
  }, [sounds]);
  return { alarm: calls.alarm(), isSoundOn: calls.isWanted(), missing: calls.missing(), said };
}
