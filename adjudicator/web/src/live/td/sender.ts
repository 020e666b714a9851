/** Sends what a director did, in order, until the server has answered: through reloads and dead spots. */
import { t } from '../../language/td';
import { OTHER_RELEASE, type Queue, type QueuedAct, TOO_FAST, answered, enqueued, isAskedAgain, isOf, newKey, restored, waited } from '../../model/td/queue';
import { taken } from '../../model/td/wire';
import { kept } from './kept';
import { TdError, post } from './server';

const KEPT = 'twinboard.td.queue';
const RETRY_MS = 2_000;

export interface Outcome {
  readonly label: string;
  /** None: it was done. */
  readonly refusal: string | null;
  /** Refusal of an act that waits and is sent again. */
  readonly waits?: boolean;
  /** The server has answered in words of another release. */
  readonly isOtherRelease?: boolean;
  /** Its number in the log. */
  readonly act: number | null;
}

export class Sender {
  private isSending = false;
  private timer: number | undefined;

  constructor(
    private readonly changed: (waiting: number) => void,
    private readonly outcome: (outcome: Outcome) => void,
    private readonly lost: () => void,
  ) {
    window.addEventListener('online', this.hurry);
    window.addEventListener('storage', this.elsewhere);
    changed(this.queue().length);
    void this.send();
  }

  close(): void {
    window.clearTimeout(this.timer);
    window.removeEventListener('online', this.hurry);
    window.removeEventListener('storage', this.elsewhere);
  }

  act(deed: unknown, label: string): void {
    const queue = this.queue();
    const longer = enqueued(queue, { key: newKey(), deed, label, made_ms: Date.now(), by: kept.person() });
    if (longer.length === queue.length) {
      this.outcome({ label, refusal: t('Too much waits to be sent already.'), act: null });
      return;
    }
    this.keep(longer);
    void this.send();
  }

  /** Read again each time: another tab may have added an act or sent one. */
  private queue(): Queue {
    return restored(localStorage.getItem(KEPT));
  }

  private keep(queue: Queue): void {
    localStorage.setItem(KEPT, JSON.stringify(queue));
    this.changed(queue.length);
  }

  private readonly hurry = (): void => void this.send();

  private readonly elsewhere = (event: StorageEvent): void => {
    if (event.key === KEPT) this.changed(this.queue().length);
  };

  private async send(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    window.clearTimeout(this.timer);
    for (let [first] = this.queue(); first !== undefined; [first] = this.queue()) {
      if (!(await this.isAnswered(first))) {
        this.timer = window.setTimeout(this.hurry, RETRY_MS);
        break;
      }
      this.keep(answered(this.queue(), first.key));
    }
    this.isSending = false;
  }

  /** False: the server could not be reached, or does not know the device any longer. */
  private async isAnswered(act: QueuedAct): Promise<boolean> {
    const { key, deed, label } = act;
    if (!isOf(act, kept.person())) {
      this.outcome({ label, refusal: t('{by} did it, and this device is {kept}’s now: it was not sent.', { by: act.by, kept: kept.person() }), act: null });
      return true;
    }
    try {
      // Whole milliseconds: the server reads nothing else.
      const answer = await post('/api/v1/td/acts', { key, waited_ms: Math.round(waited(act, Date.now())), deed }, taken);
      this.outcome({ label, refusal: null, act: answer.act });
      return true;
    } catch (error) {
      if (!(error instanceof TdError)) throw error;
      // Too slow a line is no answer either.
      if (isAskedAgain(error.status)) {
        if (error.status === TOO_FAST) this.outcome({ label, refusal: error.message, waits: true, act: null });
        return false;
      }
      if (error.status === 401) {
        this.lost();
        return false;
      }
      // An act with a good answer is done, even if this page cannot read the answer: later acts do not wait for it.
      if (error.status === OTHER_RELEASE) this.outcome({ label, refusal: null, isOtherRelease: true, act: null });
      else this.outcome({ label, refusal: error.message, act: null });
      return true;
    }
  }
}
