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

interface StatusChange {
  readonly to: ProductOrderStatus;
  readonly actor: string;
  readonly cause: string;
  readonly requestId: string;
}

/**
 * Returns false if the customer was deleted. Goods may be returned after that, and then no notification
 * is sent.
 */
const isExistingCustomer = async (tx: Db, userId: string): Promise<boolean> => {
  const user = await findUser(tx, userId);
  return user !== undefined && user.deletedAt === null;
};

/** Changes the status of a locked order, inserts its history row and notifies the customer. */
const transitionAndNotify = async (
  deps: ChangeStatusDeps,
  tx: Db,
  order: ProductOrder,
  change: StatusChange,
): Promise<void> => {
  await transitionProductOrder(deps, tx, order, { ...change, now: deps.clock.now() });
  if (await isExistingCustomer(tx, order.userId))
    await notifyStatus(tx, deps.notify, order, change.to);
};

/**
 * Changes the status of an order for an operator. The history row and the customer's notification are
 * written in the same transaction. The change has no audit row (contract: operators > Audit). Of two
 * concurrent changes, the second starts from the status that the first has set.
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
    await transitionAndNotify(deps, tx, order, { to, actor, cause: 'order.status-set', requestId });
  });

/**
 * Cancels an order for its customer, unless the order is already packed. The pieces return to the stock.
 * A repeat changes nothing (contract: jewellery > Cancelling a product order).
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
    await transitionAndNotify(deps, tx, order, {
      to: 'CANCELLED',
      actor,
      cause: 'order.cancelled',
      requestId,
    });
  });
