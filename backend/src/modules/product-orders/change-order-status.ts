import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { findUser } from '../identity/index.ts';
import type { Notify } from '../notifications/index.ts';
import { notifyStatus } from './product-orders.notifications.ts';
import { transitionProductOrder } from './product-orders.states.ts';
import { lockProductOrder } from './product-orders.store.ts';
import type { ProductOrder, ProductOrderStatus } from './product-orders.types.ts';

export interface ChangeStatusDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  readonly notify: Notify;
}

interface Change {
  readonly to: ProductOrderStatus;
  readonly actor: string;
  readonly cause: string;
  readonly requestId: string;
}

/** Goods may be returned after their customer was deleted, who then gets no notification. */
const isThere = async (tx: Db, userId: string): Promise<boolean> => {
  const user = await findUser(tx, userId);
  return user !== undefined && user.deletedAt === null;
};

/** Moves a locked order on, with the row of its history and the customer's notification. */
const moveOn = async (
  deps: ChangeStatusDeps,
  tx: Db,
  order: ProductOrder,
  change: Change,
): Promise<void> => {
  await transitionProductOrder(deps, tx, order, { ...change, at: deps.clock.now() });
  if (await isThere(tx, order.userId)) await notifyStatus(tx, deps.notify, order, change.to);
};

/**
 * Changes the status of an order along its table, with the row of its history and the customer's
 * notification in the same transaction. There is no audit row (contract: operators > Audit). Of two
 * operators at once the second one finds the status that the first one set.
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION with the status in its details
 */
export const changeOrderStatus = (
  deps: ChangeStatusDeps,
  change: {
    readonly orderId: string;
    readonly to: ProductOrderStatus;
    readonly adminId: string;
    readonly requestId: string;
  },
): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const { orderId, to, adminId, requestId } = change;
    const order = await lockProductOrder(tx, orderId);
    if (order === undefined) throw new AppError('NOT_FOUND');
    const actor = `admin:${adminId}`;
    await moveOn(deps, tx, order, { to, actor, cause: 'order.status-set', requestId });
  });

/**
 * Cancels an order for its customer while nothing of it is packed, and gives its pieces back to
 * what is left. A repeat changes nothing (contract: jewellery > Cancelling a product order).
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION with the status in its details
 */
export const cancelOrder = (
  deps: ChangeStatusDeps,
  request: { readonly orderId: string; readonly userId: string; readonly requestId: string },
): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const { orderId, userId, requestId } = request;
    const order = await lockProductOrder(tx, orderId, userId);
    if (order === undefined) throw new AppError('NOT_FOUND');
    if (order.status === 'CANCELLED') return;
    const actor = `customer:${userId}`;
    await moveOn(deps, tx, order, { to: 'CANCELLED', actor, cause: 'order.cancelled', requestId });
  });
