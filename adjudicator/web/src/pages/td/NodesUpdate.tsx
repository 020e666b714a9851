/** Update of the firmware of all nodes of the hall, for the chief. Failures are among the open items, with their remedy. */
import { t } from '../../language/td';
import { Sure } from './Sure';
import type { Desk } from './useDesk';

export function NodesUpdate({ desk }: { readonly desk: Desk }) {
  const update = () => desk.act({ of: 'update-nodes' }, t('update of all nodes'));
  return (
    <section data-testid="nodes-update">
      <h2>{t('Boards and clocks')}</h2>
      <p class="td-soft">
        {t(
          'Installs the firmware of this release on every board and clock of the hall, in some minutes, while no match is played. Progress, and every board or clock that was not updated, is among the open items.',
        )}
      </p>
      <Sure label={t('Update boards and clocks')} says={t('no match may begin until it has ended')} act={update} />
    </section>
  );
}
