/**
 * Keeps the focus where it was when the page changes under it. Decided items leave, and a list is sorted again: people who work with
 * keys or a screen reader would be thrown back to the top of the document without a word.
 */
import { useEffect } from 'preact/hooks';

/** `home` finds the new focus in place of a removed element. */
export function useKeptFocus(home: () => HTMLElement | null): void {
  useEffect(() => {
    let last: HTMLElement | null = null;
    const focused = (event: FocusEvent): void => {
      last = event.target instanceof HTMLElement ? event.target : null;
    };
    // A touch beside everything takes the focus away because somebody wants it.
    const touched = (): void => {
      last = null;
    };
    const changed = (): void => {
      if (last === null || document.activeElement !== document.body) return;
      const kept = last.isConnected ? last : home();
      kept?.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(changed);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', focused);
    document.addEventListener('pointerdown', touched, true);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', focused);
      document.removeEventListener('pointerdown', touched, true);
    };
  }, []);
}
