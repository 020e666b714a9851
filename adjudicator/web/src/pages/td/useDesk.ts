/** Ties the directors' pages to the server: the list, the line, what waits to be sent and what came of it. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Outcome, Sender } from '../../live/td/sender';
import { keepHeard, keepMatch, keepNeeds, kept } from '../../live/td/kept';
import { TdStream } from '../../live/td/stream';
import type { DirectorMatch, Need } from '../../model/td/wire';

export interface Desk {
  readonly needs: readonly Need[];
  readonly match: DirectorMatch | null;
  /** True if the line is up, and when it was last heard (this device's time). */
  readonly live: boolean;
  readonly heard_ms: number;
  /** Other viewers of this match. */
  readonly others: readonly string[];
  readonly waiting: number;
  /** True if the server has another release than this page. */
  readonly isOtherRelease: boolean;
  readonly outcomes: readonly Outcome[];
  /** The server's time. */
  readonly now_ms: () => number;
  readonly act: (deed: unknown, label: string) => void;
}

const OUTCOMES_SHOWN = 3;

export function useDesk(match: string | null, lost: () => void): Desk {
  const [needs, setNeeds] = useState<readonly Need[]>(kept.needs);
  const [shown, setShown] = useState<DirectorMatch | null>(null);
  const [live, setLive] = useState(false);
  const [heard_ms, setHeard] = useState(kept.heard_ms);
  const [others, setOthers] = useState<readonly string[]>([]);
  const [waiting, setWaiting] = useState(0);
  const [isOtherRelease, setOtherRelease] = useState(false);
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const ahead = useRef(0);
  const sender = useRef<Sender | null>(null);
  useEffect(() => {
    const started = new Sender(
      setWaiting,
      (outcome) => {
        setOutcomes((old) => [outcome, ...old].slice(0, OUTCOMES_SHOWN));
        if (outcome.isOtherRelease === true) setOtherRelease(true);
      },
      lost,
    );
    sender.current = started;
    return () => started.close();
  }, []);
  useEffect(() => {
    const stream = new TdStream(match, {
      needs: (heard) => {
        keepNeeds(heard);
        setNeeds(heard);
      },
      match: (heard) => {
        keepMatch(heard);
        setShown(heard);
      },
      beat: (now_ms) => {
        ahead.current = now_ms - Date.now();
        keepHeard(Date.now());
        setHeard(Date.now());
        setLive(true);
      },
      // Said again every two seconds: the same is no change.
      others: (names) => setOthers((old) => (old.join() === names.join() ? old : names)),
      broken: () => setLive(false),
      otherRelease: () => setOtherRelease(true),
      lost,
    });
    return () => stream.close();
  }, [match]);
  return useMemo(
    () => ({
      needs,
      match: shown,
      live,
      heard_ms,
      others,
      waiting,
      isOtherRelease,
      outcomes,
      now_ms: () => Date.now() + ahead.current,
      act: (deed: unknown, label: string) => sender.current?.act(deed, label),
    }),
    [needs, shown, live, heard_ms, others, waiting, isOtherRelease, outcomes],
  );
}
