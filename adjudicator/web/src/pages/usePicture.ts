/** Ties a page to what it follows. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { HallTimeValue } from '../components/HallTime';
import { Follower, type Picture, type Subject } from '../live/follow';
import { OPENING } from '../model/line';

const NOTHING: Picture = { line: OPENING, round: null, match: null, note: null };

export function usePicture(subject: Subject): { picture: Picture; time: HallTimeValue } {
  const [picture, setPicture] = useState(NOTHING);
  const [follower, setFollower] = useState<Follower | null>(null);
  useEffect(() => {
    const started = new Follower(subject, setPicture);
    setFollower(started);
    return () => started.close();
  }, []);
  const rate = picture.round?.clock_rate ?? 1;
  // A new value whenever the line changes, so that every clock is painted anew as it stops or goes on.
  const live = picture.line.kind === 'live';
  const time = useMemo(
    () => ({ now_ms: follower?.now_ms ?? (() => undefined), live, rate }),
    [follower, rate, live],
  );
  return { picture, time };
}
