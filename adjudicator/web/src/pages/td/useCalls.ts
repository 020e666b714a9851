/** How the page makes itself heard: a tone, a colour, the phone's vibration, a screen that stays on; as far as each can be had. */
import { useEffect, useRef, useState } from 'preact/hooks';

const CALL_MS = 1_500;
const TONE_HZ = 880;
const VIBRATION_MS = [200, 100, 200];

export interface Calls {
  readonly isOn: boolean;
  readonly isCalling: boolean;
  readonly toggle: () => void;
  readonly call: () => void;
}

/** What cannot be had here, in words. */
export function soundNote(): string {
  const missing = [];
  if (!('vibrate' in navigator)) missing.push('this browser cannot vibrate');
  if (!window.isSecureContext) missing.push('without HTTPS the screen cannot be kept on');
  return missing.length === 0 ? '' : `${missing.join('; ')}.`.replace(/^./, (letter) => letter.toUpperCase());
}

/** `live`: a line that is gone calls, too. */
export function useCalls(live: boolean): Calls {
  const [isOn, setOn] = useState(false);
  const [isCalling, setCalling] = useState(false);
  const sound = useRef<AudioContext | null>(null);
  const call = () => {
    setCalling(true);
    window.setTimeout(() => setCalling(false), CALL_MS);
    navigator.vibrate?.(VIBRATION_MS);
    const context = sound.current;
    if (context === null) return;
    const tone = context.createOscillator();
    tone.frequency.value = TONE_HZ;
    tone.connect(context.destination);
    tone.start();
    tone.stop(context.currentTime + 0.25);
  };
  const toggle = () => {
    sound.current ??= new AudioContext();
    void (isOn ? sound.current.suspend() : sound.current.resume());
    setOn(!isOn);
    if (!isOn && 'wakeLock' in navigator) void navigator.wakeLock.request('screen').catch(() => undefined);
  };
  const was = useRef(live);
  useEffect(() => {
    if (was.current && !live) call();
    was.current = live;
  }, [live]);
  return { isOn, isCalling, toggle, call };
}
