import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { transition } from '../../platform/transitions/transitions.ts';
import { productOrderMachine } from './product-orders.states.ts';
import { insertEvent, lockProductOrder, updateStatus } from './product-orders.store.ts';
import type { ProductOrderStatus } from './product-orders.types.ts';

export interface ChangeStatusDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/**
 * Changes the status of an order along its table, with the row of its history in the same
 * transaction; there is no audit row (contract: operators > Audit). Of two operators at once the
 * second one finds the status that the first one set.
 * @throws AppError NOT_FOUND; ILLEGAL_TRANSITION with the status in its details
 */
export const changeOrderStatus = async (
  { inTransaction, clock, random, logger }: ChangeStatusDeps,
  change: {
    readonly orderId: string;
    readonly to: ProductOrderStatus;
    readonly adminId: string;
    readonly requestId: string;
  },
): Promise<void> => {
  const { orderId, to, requestId } = change;
  await inTransaction(async (tx) => {
    const from = await lockProductOrder(tx, orderId);
    if (from === undefined) throw new AppError('NOT_FOUND');
    const at = clock.now();
    const [actor, cause] = [`admin:${change.adminId}`, 'order.status-set'];
    await transition(productOrderMachine(logger), {
      id: orderId,
      from,
      to,
      actor,
      cause,
      update: () => updateStatus(tx, { id: orderId, from, to }, at),
      recordHistory: () =>
        insertEvent(tx, { id: random.uuid(), orderId, from, to, cause, actor, requestId, at }),
    });
  });
};
