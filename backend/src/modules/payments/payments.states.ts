import type { Db } from '../../platform/db/index.ts';
import { transition, type TransitionTable } from '../../platform/transitions/transitions.ts';
import type { PaymentOrder, PaymentOrderStatus, PaymentsDeps } from './payments.types.ts';

/**
 * Every transition of a payment order (contract: states > Payment order). Those of `gateway` and
 * `admin` come with a transition of its gold order, in the same transaction.
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
    EXPIRED: { allowedActors: ['service'], reason: 'the price lock ended' },
  },
  GATEWAY_ORDER_CREATED: {
    PAID: { allowedActors: ['gateway'], reason: 'a capture' },
    FAILED: { allowedActors: ['gateway'], reason: 'a failed payment' },
    MANUAL_REVIEW: {
      allowedActors: ['gateway'],
      reason: 'a capture of another amount or currency',
    },
    EXPIRED: { allowedActors: ['service'], reason: 'the price lock ended' },
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

interface PaymentOrderTransition {
  readonly to: PaymentOrderStatus;
  readonly cause: string;
  readonly actor: string;
  /** This field and those below are only filled in: a value that is stored already stays. */
  readonly capturedPaymentId?: string;
  readonly paidAt?: Date;
  readonly gatewayOrderId?: string;
  readonly method?: string;
}

/**
 * Changes the state of a payment order that `lockPaymentOrder` returned in this transaction.
 * @throws AppError ILLEGAL_TRANSITION where the table does not allow it
 */
export const transitionPaymentOrder = (
  { clock, logger }: Pick<PaymentsDeps, 'clock' | 'logger'>,
  db: Db,
  order: PaymentOrder,
  { to, cause, actor, ...changes }: PaymentOrderTransition,
): Promise<void> => {
  const { id, status: from } = order;
  const machine = {
    name: 'payment order',
    idField: 'paymentOrderId',
    table: paymentOrderTransitions,
    logger,
  };
  const update = async (): Promise<number> => {
    const { count } = await db.paymentOrder.updateMany({
      where: { id, status: from },
      data: {
        status: to,
        updatedAt: clock.now(),
        capturedPaymentId: order.capturedPaymentId ?? changes.capturedPaymentId ?? null,
        paidAt: order.paidAt ?? changes.paidAt ?? null,
        gatewayOrderId: order.gatewayOrderId ?? changes.gatewayOrderId ?? null,
        method: order.method ?? changes.method ?? null,
      },
    });
    return count;
  };
  return transition(machine, { id, from, to, cause, actor, update });
};
