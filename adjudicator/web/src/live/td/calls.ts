/**
 * Calls of this device: a tone, a frame around the whole screen, the phone's vibration, a screen that stays on; as far as each
 * can be had. One for all of the directors' pages: a director at one table's page hears of another one, and nothing calls twice.
 */
import { t } from '../../language/td';

/** A call: a table needs a director, or the connection is lost. */
export type Alarm = 'call' | 'line';

interface Sound {
  /** Tones one after the other, hertz. */
  readonly tones_hz: readonly number[];
  readonly vibration_ms: readonly number[];
}

/** Patterns that ear and hand can tell apart: two rising tones call a director, three falling ones report a lost connection. */
const SOUNDS: Record<Alarm, Sound> = {
  call: { tones_hz: [660, 880], vibration_ms: [200, 100, 200] },
  line: { tones_hz: [440, 330, 220], vibration_ms: [600, 150, 600] },
};
const TONE_S = 0.22;
const SHOWN_MS = 1_500;
const WANTED = 'twinboard.td.sound';

class Calls {
  private sound: AudioContext | null = null;
  private lock: WakeLockSentinel | null = null;
  private isLockRefused = false;
  private shown: Alarm | null = null;
  private timer: number | undefined;
  private readonly listeners = new Set<() => void>();

  constructor() {
    // A page may make itself heard only after it was touched, and a phone takes the lock away whenever the page is not seen.
    document.addEventListener('pointerdown', () => void this.wake(), true);
    document.addEventListener('keydown', () => void this.wake(), true);
    document.addEventListener('visibilitychange', () => void this.wake());
  }

  /** True if the director wants to be called by sound; the device keeps it over reloads. */
  isWanted(): boolean {
    return localStorage.getItem(WANTED) === 'on';
  }

  /** The device sounds when it is called: sound is wanted, and the browser permits it. */
  sounds(): boolean {
    return this.isWanted() && this.sound?.state === 'running';
  }

  /** Frame that is shown over the screen at this moment. */
  alarm(): Alarm | null {
    return this.shown;
  }

  /** Means of calling that this device lacks, or lacks so far, in sentences. */
  missing(): string[] {
    const found = [];
    if (!('AudioContext' in window)) found.push(t('This browser has no sound for pages.'));
    else if (this.isWanted() && this.sound?.state !== 'running') found.push(t('Touch the page once: no browser lets a page sound before.'));
    if (!('vibrate' in navigator)) found.push(t('This browser cannot vibrate.'));
    if (!window.isSecureContext) found.push(t('Without HTTPS the screen cannot be kept on.'));
    else if (!('wakeLock' in navigator)) found.push(t('This browser cannot keep the screen on.'));
    else if (this.isLockRefused) found.push(t('The phone does not keep the screen on now: its battery may be low.'));
    return found;
  }

  toggle(): void {
    localStorage.setItem(WANTED, this.isWanted() ? 'off' : 'on');
    void this.wake();
    if (this.isWanted()) this.play('call');
  }

  call(alarm: Alarm): void {
    this.shown = alarm;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.show(null), SHOWN_MS);
    navigator.vibrate?.([...SOUNDS[alarm].vibration_ms]);
    this.play(alarm);
    this.changed();
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private show(alarm: Alarm | null): void {
    this.shown = alarm;
    this.changed();
  }

  private play(alarm: Alarm): void {
    const { sound } = this;
    if (sound === null || !this.isWanted()) return;
    SOUNDS[alarm].tones_hz.forEach((hz, index) => {
      const tone = sound.createOscillator();
      tone.frequency.value = hz;
      tone.connect(sound.destination);
      tone.start(sound.currentTime + index * TONE_S);
      tone.stop(sound.currentTime + (index + 1) * TONE_S);
    });
  }

  /** Has sound and the screen as they are wanted, as far as the browser lets it. */
  private async wake(): Promise<void> {
    const isWanted = this.isWanted();
    if (isWanted && this.sound === null && 'AudioContext' in window) this.sound = new AudioContext();
    if (isWanted && this.sound !== null && this.sound.state !== 'running') await this.sound.resume().catch(() => undefined);
    if (!isWanted && this.sound?.state === 'running') await this.sound.suspend().catch(() => undefined);
    await this.keepScreen(isWanted);
    this.changed();
  }

  private async keepScreen(isWanted: boolean): Promise<void> {
    if (!isWanted) {
      await this.lock?.release().catch(() => undefined);
      this.lock = null;
      return;
    }
    const isHeld = this.lock !== null && !this.lock.released;
    if (isHeld || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
    this.lock = await navigator.wakeLock.request('screen').catch(() => null);
    this.isLockRefused = this.lock === null;
  }

  private changed(): void {
    this.listeners.forEach((listener) => listener());
  }
}

export const calls = new Calls();
