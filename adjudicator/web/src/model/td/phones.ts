/** Readiness of the directors' phones, in words. */
import { t } from '../../language/td';
import type { Device } from './wire';

/** `online, with sound`; null where the server does not say. */
export function phoneWords({ ready }: Pick<Device, 'ready'>): string {
  if (ready === null) return '';
  if (!ready.is_connected) return t('▲ not connected: open the directors’ pages on it');
  return ready.sounds ? t('● online, with sound') : t('▲ online without sound: touch Sound on its list');
}

/** A sentence for each person without a connected phone that sounds. The readiest of one person's phones counts. */
export function phonesToLookAt(devices: readonly Device[]): readonly string[] {
  const working = devices.filter(({ works, rank }) => works && rank !== 'scorekeeper');
  const level = ({ ready }: Device) => (ready === null ? 2 : Number(ready.is_connected) + Number(ready.is_connected && ready.sounds));
  const people = [...new Set(working.map(({ person }) => person))];
  return people.flatMap((person) => {
    const best = working.filter((one) => one.person === person).sort((one, other) => level(other) - level(one))[0];
    return best === undefined || level(best) === 2 ? [] : [`${person}: ${phoneWords(best)}`];
  });
}
