/** One deliberate gesture: the button says what will happen, and only the second touch does it. */
import { useEffect, useState } from 'preact/hooks';

const FORGOTTEN_MS = 6_000;

export function Sure({ label, says, act, disabled = false }: { readonly label: string; readonly says: string; readonly act: () => void; readonly disabled?: boolean }) {
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    if (!asked) return;
    const timer = window.setTimeout(() => setAsked(false), FORGOTTEN_MS);
    return () => window.clearTimeout(timer);
  }, [asked]);
  const touch = () => {
    if (asked) act();
    setAsked(!asked);
  };
  return (
    <button class={asked ? 'sure strong' : 'sure'} disabled={disabled} aria-pressed={asked} onClick={touch}>
      {asked ? (
        <>
          {label}? <small>{says}</small>
        </>
      ) : (
        label
      )}
    </button>
  );
}
