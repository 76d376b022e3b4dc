import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { transition, type TransitionTable } from '../../platform/transitions/transitions.ts';
import { insertEvent } from './product-orders.store.ts';
import type { ProductOrder, ProductOrderStatus } from './product-orders.types.ts';

const operatorOnly = ['admin'] as const;
const cancelUnpacked = {
  allowedActors: ['admin', 'customer'] as const,
  reason: 'the customer or an operator cancels the order',
};
const cancelPacked = { allowedActors: operatorOnly, reason: 'an operator cancels the order' };

/** Every transition that a product order may make (contract: states > Product order). */
const productOrderTransitions: TransitionTable<ProductOrderStatus, 'admin' | 'customer'> = {
  PLACED: {
    CONFIRMED: { allowedActors: operatorOnly, reason: 'an operator accepts the order' },
    CANCELLED: cancelUnpacked,
  },
  CONFIRMED: {
    PACKED: { allowedActors: operatorOnly, reason: 'the goods are packed' },
    CANCELLED: cancelUnpacked,
  },
  PACKED: {
    SHIPPED: { allowedActors: operatorOnly, reason: 'the parcel is handed to the carrier' },
    CANCELLED: cancelPacked,
  },
  SHIPPED: {
    DELIVERED: { allowedActors: operatorOnly, reason: 'the customer has the goods and has paid' },
  },
  DELIVERED: {
    RETURNED: { allowedActors: operatorOnly, reason: 'the goods were returned' },
  },
  CANCELLED: {},
  RETURNED: {},
};

interface ProductOrderTransition {
  readonly to: ProductOrderStatus;
  /** The actor of the transition: `admin:<id>` or `customer:<id>`. */
  readonly actor: string;
  readonly cause: string;
  readonly requestId: string;
  readonly now: Date;
}

/**
 * Changes the state of a product order that the transaction has locked, and inserts the row of its
 * history.
 * @throws AppError ILLEGAL_TRANSITION if the table does not allow the transition
 */
export const transitionProductOrder = (
  { random, logger }: { readonly random: Random; readonly logger: Pick<Logger, 'info' | 'error'> },
  tx: Db,
  { id, status: from }: Pick<ProductOrder, 'id' | 'status'>,
  { to, actor, cause, requestId, now }: ProductOrderTransition,
): Promise<void> => {
  const table = productOrderTransitions;
  const machine = { name: 'product order', idField: 'productOrderId', table, logger };
  return transition(machine, {
    id,
    from,
    to,
    actor,
    cause,
    update: async () => {
      const { count } = await tx.productOrder.updateMany({
        where: { id, status: from },
        data: { status: to, updatedAt: now },
      });
      return count;
    },
    recordHistory: () =>
      insertEvent(tx, {
        id: random.uuid(),
        orderId: id,
        from,
        to,
        cause,
        actor,
        requestId,
        at: now,
      }),
  });
};
