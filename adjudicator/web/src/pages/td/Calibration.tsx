/** Calibration of hall sensors: while a match is not played, a board measures what its sensors read without pieces. */
import { langOf, served, t } from '../../language/td';
import type { DirectorMatch, Order } from '../../model/td/wire';
import { type BoardId, sensedBoards } from '../../model/wire';

/** Pieces on the board meanwhile. */
export type BoardContent = 'empty' | 'set-up';

const IN_PLAY: ReadonlySet<string> = new Set(['playing', 'paused']);

const WAITING: Partial<Record<Order['state'], string>> = { sent: t('on its way'), taken: t('at the hub'), done: t('done') };

/** Whether an order is one for a calibration: the server's words for it. */
export const isCalibration = ({ what }: Order) => what.startsWith('calibration of board ');

interface Calibrating {
  readonly match: DirectorMatch;
  readonly calibrate: (board: BoardId, content: BoardContent) => void;
}

export function Calibration({ match, calibrate }: Calibrating) {
  const { table } = match.shown;
  if (!match.is_at_table || IN_PLAY.has(table.state)) return null;
  const order = match.orders.filter(isCalibration).at(-1);
  const isRunning = order?.state === 'sent' || order?.state === 'taken';
  return (
    <details class="calibration" data-testid="calibration">
      <summary>{t('Calibrate hall sensors')}</summary>
      <p class="td-soft">
        {t('For boards with hall sensors, after building and after a change of the table. An empty board calibrates all squares, and one that is set up ranks 3 to 6.')}
      </p>
      <div class="decisions">
        {sensedBoards(table).flatMap((board) => [
          <button key={`${board} set-up`} disabled={isRunning} onClick={() => calibrate(board, 'set-up')}>{t('Board {board} is set up', { board })}</button>,
          <button key={`${board} empty`} disabled={isRunning} onClick={() => calibrate(board, 'empty')}>{t('Board {board} is empty', { board })}</button>,
        ])}
      </div>
      {order !== undefined && (
        <p role="status" data-state={order.state}>
          <span lang={langOf(order.what)}>{served(order.what)}</span> <strong>{WAITING[order.state] ?? t('not done')}</strong>
          {order.detail !== '' && <span class="td-soft" lang={langOf(order.detail)}>: {served(order.detail)}</span>}
        </p>
      )}
    </details>
  );
}
