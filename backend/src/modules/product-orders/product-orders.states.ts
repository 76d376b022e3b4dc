import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { transition, type TransitionTable } from '../../platform/transitions/transitions.ts';
import { insertEvent } from './product-orders.store.ts';
import type { ProductOrder, ProductOrderStatus } from './product-orders.types.ts';

const operator = ['admin'] as const;
const unpacked = {
  allowedActors: ['admin', 'customer'] as const,
  reason: 'it is not wanted, or not sent after all',
};
const packed = { allowedActors: operator, reason: 'it is not sent after all' };

/** Every transition that a product order may make (contract: states > Product order). */
const productOrderTransitions: TransitionTable<ProductOrderStatus, 'admin' | 'customer'> = {
  PLACED: {
    CONFIRMED: { allowedActors: operator, reason: 'an operator accepts the order' },
    CANCELLED: unpacked,
  },
  CONFIRMED: {
    PACKED: { allowedActors: operator, reason: 'the goods are packed' },
    CANCELLED: unpacked,
  },
  PACKED: {
    SHIPPED: { allowedActors: operator, reason: 'the parcel left the house' },
    CANCELLED: packed,
  },
  SHIPPED: {
    DELIVERED: { allowedActors: operator, reason: 'the customer has the goods and has paid' },
  },
  DELIVERED: {
    RETURNED: { allowedActors: operator, reason: 'the goods came back' },
  },
  CANCELLED: {},
  RETURNED: {},
};

interface ProductOrderTransition {
  readonly to: ProductOrderStatus;
  /** `admin:<id>`, `customer:<id>`. */
  readonly actor: string;
  readonly cause: string;
  readonly requestId: string;
  readonly at: Date;
}

/**
 * Changes the state of a product order that the transaction has locked, and writes the row of its
 * history.
 * @throws AppError ILLEGAL_TRANSITION for what the table does not allow
 */
export const transitionProductOrder = (
  { random, logger }: { readonly random: Random; readonly logger: Pick<Logger, 'info' | 'error'> },
  tx: Db,
  { id, status: from }: Pick<ProductOrder, 'id' | 'status'>,
  { to, actor, cause, requestId, at }: ProductOrderTransition,
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
        data: { status: to, updatedAt: at },
      });
      return count;
    },
    recordHistory: () =>
      insertEvent(tx, { id: random.uuid(), orderId: id, from, to, cause, actor, requestId, at }),
  });
};
