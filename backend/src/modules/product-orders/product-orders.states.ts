import type { Logger } from '../../platform/observability/index.ts';
import type { Machine, TransitionTable } from '../../platform/transitions/transitions.ts';
import type { ProductOrderStatus } from './product-orders.types.ts';

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

export const productOrderMachine = (
  logger: Pick<Logger, 'info' | 'error'>,
): Machine<ProductOrderStatus> => ({
  name: 'product order',
  idField: 'productOrderId',
  table: productOrderTransitions,
  logger,
});
