/** Ties a page to what it follows. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { HallTimeValue } from '../components/HallTime';
import { Follower, NO_PICTURE, type Picture, type Subject } from '../live/follow';
import { type Sharing, followShared } from '../live/shared';

/** Source of changes to a picture. */
interface Following {
  now_ms(): number | undefined;
  close(): void;
}

/** A page's own picture. */
export const usePicture = (subject: Subject) => useFollowing((changed) => new Follower(subject, changed));

/** The round's picture, with one line for all pages of this browser that share it. */
export const useSharedRound = (sharing: Sharing = 'scenes') => useFollowing((changed) => followShared(sharing, changed));

function useFollowing(follow: (changed: (picture: Picture) => void) => Following): { picture: Picture; time: HallTimeValue } {
  const [picture, setPicture] = useState(NO_PICTURE);
  const [follower, setFollower] = useState<Following | null>(null);
  useEffect(() => {
    const started = follow(setPicture);
    setFollower(started);
    return () => started.close();
  }, []);
  const rate = picture.round?.clock_rate ?? 1;
  // A new value whenever the line changes, so that every clock is painted again as it stops or goes on.
  const live = picture.line.kind === 'live';
  const time = useMemo(
    () => ({ now_ms: () => follower?.now_ms(), live, rate }),
    [follower, rate, live],
  );
  return { picture, time };
}
