import type { BuyStatus, SellStatus } from './gold.types.ts';

/** Who can cause a move: the part of the actor before the colon. */
export type Mover = 'customer' | 'gateway' | 'payout-provider' | 'worker' | 'janitor' | 'admin';

interface Move {
  readonly by: readonly Mover[];
  readonly because: string;
}

/** Every move that orders of one kind may make; what is not in it is refused and logged. */
export type MoveTable<S extends string> = Readonly<Record<S, Readonly<Partial<Record<S, Move>>>>>;

const payment: readonly Mover[] = ['gateway', 'customer', 'janitor'];
const machine: readonly Mover[] = ['worker', 'janitor'];

/**
 * The whole life of an order that is paid for (decisions, section 3). What is not here is refused
 * and logged. A retry passes through PAID again, so that only a PAID order is ever allocated; the
 * one exception is gold that turns out to have been bought for an order under review.
 */
export const buyMoves: MoveTable<BuyStatus> = {
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
    ALLOCATED: {
      by: [...machine, 'admin'],
      because: 'an undecided confirm went through; or its gold is there and its money is settled',
    },
    PAID: {
      by: ['admin'],
      because: 'to be allocated after all; or a second payment of it was paid back',
    },
    FAILED: { by: ['admin'], because: 'its money was paid back' },
  },
};

const request: readonly Mover[] = ['customer', 'janitor'];
const decided: readonly Mover[] = [...request, 'admin'];
const payout: readonly Mover[] = ['payout-provider', ...machine];

/**
 * The whole life of a sell (decisions, section 3). An error from VERIFIED on is no move: the order
 * stays where it is, with its grams reserved, and is under review by its `manual_review_code`.
 */
export const sellMoves: MoveTable<SellStatus> = {
  PENDING: {
    VERIFIED: { by: ['customer'], because: 'the provider would buy the gold' },
    FAILED: { by: request, because: 'no verify, or one of other grams; or its process is gone' },
  },
  VERIFIED: {
    CONFIRMED: { by: decided, because: 'the provider says that it bought the gold' },
    FAILED: { by: decided, because: 'the provider says that it did not, or never will' },
  },
  CONFIRMED: {
    COMPLETED: { by: payout, because: 'the payout was paid' },
  },
  COMPLETED: {
    CONFIRMED: { by: payout, because: 'the payout came back' },
  },
  FAILED: {},
};

/** What kind of actor `actor` is: `gateway` of `gateway:sandbox`. */
export const moverOf = (actor: string): string => actor.split(':', 1)[0] ?? '';

/** Whether the table has this move, for this actor. */
export const mayMove = <S extends string>(
  table: MoveTable<S>,
  move: { readonly from: S; readonly to: S; readonly actor: string },
): boolean => {
  const movers: readonly string[] | undefined = table[move.from][move.to]?.by;
  return movers?.includes(moverOf(move.actor)) === true;
};

/** A buy's order in a state in which the customer's money is held and the gold is not there yet. */
export const isAwaitingAllocation = (status: string): status is 'PAID' | 'RETRY_PENDING' =>
  status === 'PAID' || status === 'RETRY_PENDING';
