import type { TransitionTable } from '../../platform/transitions/transitions.ts';
import type { PaymentOrderStatus } from './payments.types.ts';

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
