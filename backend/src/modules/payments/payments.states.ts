import type { Db } from '../../platform/db/index.ts';
import {
  transition,
  transitionMany,
  tryTransition,
  type Machine,
  type TransitionTable,
} from '../../platform/transitions/transitions.ts';
import { openAndRelease } from './first-turn.store.ts';
import type {
  CreatedGatewayOrder,
  PaymentOrder,
  PaymentOrderStatus,
  PaymentsDeps,
} from './payments.types.ts';

/**
 * Every transition of a payment order (contract: states > Payment order). Transitions by `gateway`
 * and `admin` change the gold order too, in the same transaction.
 */
export const paymentOrderTransitions: TransitionTable<
  PaymentOrderStatus,
  'service' | 'gateway' | 'admin'
> = {
  CREATED: {
    GATEWAY_ORDER_CREATED: {
      allowedActors: ['service'],
      reason: 'the gateway echoed amount and currency',
    },
    FAILED: {
      allowedActors: ['gateway'],
      reason: 'the gateway made another order than was requested',
    },
    EXPIRED: { allowedActors: ['service'], reason: 'its time ended, or another one was paid' },
  },
  GATEWAY_ORDER_CREATED: {
    PAID: { allowedActors: ['gateway'], reason: 'a capture' },
    FAILED: { allowedActors: ['gateway'], reason: 'a failed payment' },
    MANUAL_REVIEW: {
      allowedActors: ['gateway'],
      reason: 'a capture of another amount or currency',
    },
    EXPIRED: { allowedActors: ['service'], reason: 'its time ended, or another one was paid' },
  },
  FAILED: {
    PAID: { allowedActors: ['gateway'], reason: 'people try again in the same checkout' },
    MANUAL_REVIEW: {
      allowedActors: ['gateway'],
      reason: 'a capture of another amount or currency',
    },
  },
  EXPIRED: {
    PAID: { allowedActors: ['gateway'], reason: 'a late capture is money all the same' },
    MANUAL_REVIEW: {
      allowedActors: ['gateway'],
      reason: 'a capture of another amount or currency',
    },
  },
  PAID: {
    REFUNDED: { allowedActors: ['admin'], reason: 'paid back, and the order failed' },
  },
  MANUAL_REVIEW: {
    REFUNDED: { allowedActors: ['admin'], reason: 'paid back, and the order failed' },
  },
  REFUNDED: {},
};

type TransitionDeps = Pick<PaymentsDeps, 'clock' | 'logger'>;

const machineOf = ({ logger }: TransitionDeps): Machine<PaymentOrderStatus> => ({
  name: 'payment order',
  idField: 'paymentOrderId',
  table: paymentOrderTransitions,
  logger,
});

interface PaymentOrderTransition {
  readonly to: PaymentOrderStatus;
  readonly cause: string;
  readonly actor: string;
  /** This field and the fields below are set once. A stored value does not change. */
  readonly capturedPaymentId?: string;
  readonly paidAt?: Date;
  readonly gatewayOrderId?: string;
  readonly method?: string;
}

/**
 * Changes the state of a payment order that `lockPaymentOrder` returned in this transaction.
 * @throws AppError ILLEGAL_TRANSITION if the table does not allow it
 */
export const transitionPaymentOrder = (
  deps: TransitionDeps,
  tx: Db,
  order: PaymentOrder,
  { to, cause, actor, ...changes }: PaymentOrderTransition,
): Promise<void> => {
  const { id, status: from } = order;
  const update = async (): Promise<number> => {
    const { count } = await tx.paymentOrder.updateMany({
      where: { id, status: from },
      data: {
        status: to,
        updatedAt: deps.clock.now(),
        capturedPaymentId: order.capturedPaymentId ?? changes.capturedPaymentId ?? null,
        paidAt: order.paidAt ?? changes.paidAt ?? null,
        gatewayOrderId: order.gatewayOrderId ?? changes.gatewayOrderId ?? null,
        method: order.method ?? changes.method ?? null,
      },
    });
    return count;
  };
  return transition(machineOf(deps), { id, from, to, cause, actor, update });
};

/** Returns the transition that opens a payment order at a gateway. */
const openingAt = (id: string, gateway: string) =>
  ({
    id,
    from: 'CREATED',
    to: 'GATEWAY_ORDER_CREATED',
    actor: 'service',
    cause: `${gateway}.create-order`,
  }) as const;

/**
 * Opens a payment order for the holder of its lease and ends the lease, in one statement. Returns
 * undefined and changes nothing if the payment order is no longer CREATED or the lease was lost.
 * @throws a unique violation if another payment order has this gateway order
 */
export const openHeldPaymentOrder = async (
  deps: TransitionDeps,
  db: Db,
  id: string,
  created: CreatedGatewayOrder & { readonly holderId: string },
): Promise<PaymentOrder | undefined> => {
  let opened: PaymentOrder | undefined;
  const update = async (): Promise<number> => {
    opened = await openAndRelease(db, id, { ...created, at: deps.clock.now() });
    return opened === undefined ? 0 : 1;
  };
  await tryTransition(machineOf(deps), { ...openingAt(id, created.gateway), update });
  return opened;
};

/**
 * Opens a CREATED payment order with the order of the given gateway. The payment order may have
 * named another gateway before. Returns false if the payment order is no longer CREATED.
 * @throws a unique violation if another payment order has this gateway order
 */
export const openPaymentOrder = (
  deps: TransitionDeps,
  db: Db,
  id: string,
  { gateway, gatewayOrderId, checkoutSession }: CreatedGatewayOrder,
): Promise<boolean> => {
  const update = async (): Promise<number> => {
    const { count } = await db.paymentOrder.updateMany({
      where: { id, status: 'CREATED', gatewayOrderId: null },
      data: {
        status: 'GATEWAY_ORDER_CREATED',
        gateway,
        gatewayOrderId,
        checkoutSession: checkoutSession ?? null,
        updatedAt: deps.clock.now(),
      },
    });
    return count;
  };
  return tryTransition(machineOf(deps), { ...openingAt(id, gateway), update });
};

/**
 * Expires the open payment orders of a gold order, and returns their number. The gold order must be
 * locked.
 */
export const expirePaymentOrders = (
  deps: TransitionDeps,
  tx: Db,
  orderId: string,
  cause: string,
): Promise<number> => {
  const from = ['CREATED', 'GATEWAY_ORDER_CREATED'] as const;
  const update = async (): Promise<number> => {
    const { count } = await tx.paymentOrder.updateMany({
      where: { orderId, status: { in: [...from] } },
      data: { status: 'EXPIRED', updatedAt: deps.clock.now() },
    });
    return count;
  };
  const step = { from, to: 'EXPIRED', actor: 'service', cause } as const;
  return transitionMany(machineOf(deps), { ...step, of: { orderId }, update });
};
