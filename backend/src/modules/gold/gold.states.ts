import type { BuyStatus } from './gold.types.ts';

/** Who can cause a move: the part of the actor before the colon. */
export type Mover = 'customer' | 'gateway' | 'worker' | 'janitor' | 'admin';

interface Move {
  readonly by: readonly Mover[];
  readonly because: string;
}

type Moves = Readonly<Record<BuyStatus, Readonly<Partial<Record<BuyStatus, Move>>>>>;

const payment: readonly Mover[] = ['gateway', 'customer', 'janitor'];
const machine: readonly Mover[] = ['worker', 'janitor'];

/**
 * The whole life of an order that is paid for (decisions, section 3). What is not here is refused
 * and logged. A retry passes through PAID again, so that only a PAID order is ever allocated; the
 * one exception is gold that turns out to have been bought for an order under review.
 */
export const buyMoves: Moves = {
  PENDING: {
    PAID: { by: payment, because: 'the right amount was captured in time' },
    FAILED: { by: [...payment, 'worker'], because: 'the payment failed, or the lock ran out' },
    MANUAL_REVIEW: { by: payment, because: 'a wrong amount or currency, or too late' },
  },
  FAILED: {
    PAID: { by: payment, because: 'paid at a second try, the lock still standing' },
    MANUAL_REVIEW: { by: payment, because: 'money came for it that fits no more' },
  },
  PAID: {
    ALLOCATED: { by: machine, because: 'the provider says that it sold the gold' },
    RETRY_PENDING: { by: machine, because: 'a try of the allocation failed' },
    MANUAL_REVIEW: {
      by: [...payment, ...machine],
      because: 'no more tries, the lock ran out, other grams, or a payment in doubt',
    },
  },
  RETRY_PENDING: {
    PAID: { by: machine, because: 'the next try begins, or an earlier one went through' },
    MANUAL_REVIEW: { by: [...payment, ...machine], because: 'the lock ran out, or as from PAID' },
  },
  ALLOCATED: {
    MANUAL_REVIEW: {
      by: [...payment, ...machine],
      because: 'its payment failed after all, or there was a second one; the gold stays',
    },
  },
  MANUAL_REVIEW: {
    ALLOCATED: { by: machine, because: 'an undecided confirm turned out to have gone through' },
  },
};

/** What kind of actor `actor` is: `gateway` of `gateway:sandbox`. */
export const moverOf = (actor: string): string => actor.split(':', 1)[0] ?? '';

/** Whether the table has this move, for this actor. */
export const mayMove = (from: BuyStatus, to: BuyStatus, actor: string): boolean => {
  const movers: readonly string[] | undefined = buyMoves[from][to]?.by;
  return movers?.includes(moverOf(actor)) === true;
};

/** A buy's order in a state in which the customer's money is held and the gold is not there yet. */
export const isAwaitingAllocation = (status: string): status is 'PAID' | 'RETRY_PENDING' =>
  status === 'PAID' || status === 'RETRY_PENDING';
