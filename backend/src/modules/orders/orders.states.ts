import type { TransitionTable } from '../../platform/transitions/transitions.ts';
import type { BuyStatus, SellStatus } from './orders.types.ts';

/** The kinds of actors that cause transitions: the part of an actor before the colon. */
export type ActorKind = 'customer' | 'gateway' | 'payout-provider' | 'worker' | 'janitor' | 'admin';

const payment: readonly ActorKind[] = ['gateway', 'customer', 'janitor'];
const machine: readonly ActorKind[] = ['worker', 'janitor'];

/**
 * Declares every transition of an order that is paid for (contract: states > Gold order, buy); any
 * other is refused and logged. A retry passes through PAID again, so that only a PAID order is
 * ever allocated; the one exception is gold that turns out to have been bought for an order under
 * review.
 */
export const buyTransitions: TransitionTable<BuyStatus, ActorKind> = {
  PENDING: {
    PAID: { allowedActors: payment, reason: 'the right amount was captured in time' },
    FAILED: {
      allowedActors: [...payment, 'worker'],
      reason: 'the payment failed, or the time to pay ran out',
    },
    MANUAL_REVIEW: { allowedActors: payment, reason: 'a wrong amount or currency, or too late' },
  },
  FAILED: {
    PAID: {
      allowedActors: payment,
      reason: 'paid at a second try, while a price lock stands if there is one',
    },
    MANUAL_REVIEW: { allowedActors: payment, reason: 'money came for it that fits no more' },
  },
  PAID: {
    ALLOCATED: { allowedActors: machine, reason: 'the provider says that it sold the gold' },
    RETRY_PENDING: { allowedActors: machine, reason: 'a try of the allocation failed' },
    MANUAL_REVIEW: {
      allowedActors: [...payment, ...machine],
      reason: 'no more tries, the lock ran out, other grams, or a payment in doubt or gone',
    },
  },
  RETRY_PENDING: {
    PAID: { allowedActors: machine, reason: 'the next try begins, or an earlier one went through' },
    MANUAL_REVIEW: {
      allowedActors: [...payment, ...machine],
      reason: 'the lock ran out, or as from PAID',
    },
  },
  ALLOCATED: {
    MANUAL_REVIEW: {
      allowedActors: [...payment, ...machine],
      reason: 'its payment failed after all or went away, or there was a second; the gold stays',
    },
  },
  MANUAL_REVIEW: {
    ALLOCATED: {
      allowedActors: [...machine, 'admin'],
      reason: 'an undecided confirm went through; or its gold is there and its money is settled',
    },
    PAID: {
      allowedActors: ['admin'],
      reason: 'to be allocated after all; or a second payment of it was paid back',
    },
    FAILED: {
      allowedActors: ['admin'],
      reason: 'its money was paid back, or went away and the gold was recovered',
    },
  },
};

/**
 * Declares every transition of an installment: those of a buy, and the one that follows from its
 * having no price lock: it is paid after all.
 */
export const installmentTransitions: TransitionTable<BuyStatus, ActorKind> = {
  ...buyTransitions,
  FAILED: {
    ...buyTransitions.FAILED,
    PENDING: { allowedActors: ['customer'], reason: 'the customer pays it after all' },
  },
};

const request: readonly ActorKind[] = ['customer', 'janitor'];
const decided: readonly ActorKind[] = [...request, 'admin'];
const payout: readonly ActorKind[] = ['payout-provider', ...machine];

/**
 * Declares every transition of a sale (contract: states > Gold order, sell). An error from
 * VERIFIED on changes no state: the order stays where it is, with its grams reserved, and is under
 * review by its `manual_review_code`.
 */
export const sellTransitions: TransitionTable<SellStatus, ActorKind> = {
  PENDING: {
    VERIFIED: { allowedActors: ['customer'], reason: 'the provider would buy the gold' },
    FAILED: {
      allowedActors: request,
      reason: 'no verify, or one of other grams; or its process is gone',
    },
  },
  VERIFIED: {
    CONFIRMED: { allowedActors: decided, reason: 'the provider says that it bought the gold' },
    FAILED: { allowedActors: decided, reason: 'the provider says that it did not, or never will' },
  },
  CONFIRMED: {
    COMPLETED: { allowedActors: payout, reason: 'the payout was paid' },
  },
  COMPLETED: {
    CONFIRMED: { allowedActors: payout, reason: 'the payout came back' },
  },
  FAILED: {},
};

/** Returns true while a buy's money is held and its gold is not there yet. */
export const isAwaitingAllocation = (status: string): status is 'PAID' | 'RETRY_PENDING' =>
  status === 'PAID' || status === 'RETRY_PENDING';
