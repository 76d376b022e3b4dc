import { type TransitionTable, transition } from '../../platform/transitions/transitions.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { execute, sql, sqlChanges, type Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { BuyStatus, SellStatus, Actor, ManualReviewCode } from './orders.types.ts';

/** The kinds of actors that cause transitions. The kind is the part of an actor before the colon. */
type ActorKind = 'customer' | 'gateway' | 'payout-provider' | 'worker' | 'janitor' | 'admin';

const paymentActors: readonly ActorKind[] = ['gateway', 'customer', 'janitor'];
const workerActors: readonly ActorKind[] = ['worker', 'janitor'];

/**
 * Declares every transition of a buy order (contract: states > Gold order, buy). Any other
 * transition is refused and logged. A retry passes through PAID again, so that only a PAID order is
 * allocated. The only exception is an order under review whose gold turns out to have been bought.
 */
export const buyTransitions: TransitionTable<BuyStatus, ActorKind> = {
  PENDING: {
    PAID: { allowedActors: paymentActors, reason: 'the right amount was captured in time' },
    FAILED: {
      allowedActors: [...paymentActors, 'worker'],
      reason: 'the payment failed, or the time to pay ran out',
    },
    MANUAL_REVIEW: {
      allowedActors: paymentActors,
      reason: 'a wrong amount or currency, or too late',
    },
  },
  FAILED: {
    PAID: {
      allowedActors: paymentActors,
      reason: 'paid at a second try, while a price lock stands if there is one',
    },
    MANUAL_REVIEW: {
      allowedActors: paymentActors,
      reason: 'a late payment, or one of a wrong amount or currency',
    },
  },
  PAID: {
    ALLOCATED: { allowedActors: workerActors, reason: 'the provider says that it sold the gold' },
    RETRY_PENDING: { allowedActors: workerActors, reason: 'a try of the allocation failed' },
    MANUAL_REVIEW: {
      allowedActors: [...paymentActors, ...workerActors],
      reason: 'no more tries, the lock ran out, other grams, or a payment in doubt or reversed',
    },
  },
  RETRY_PENDING: {
    PAID: {
      allowedActors: workerActors,
      reason: 'the next try begins, or an earlier try bought the gold',
    },
    MANUAL_REVIEW: {
      allowedActors: [...paymentActors, ...workerActors],
      reason: 'the lock ran out, or as from PAID',
    },
  },
  ALLOCATED: {
    MANUAL_REVIEW: {
      allowedActors: [...paymentActors, ...workerActors],
      reason: 'its payment failed or was reversed, or a second one came, and the gold stays',
    },
  },
  MANUAL_REVIEW: {
    ALLOCATED: {
      allowedActors: [...workerActors, 'admin'],
      reason: 'an undecided confirm bought the gold, or an operator resolved the doubt',
    },
    PAID: {
      allowedActors: ['admin'],
      reason: 'an operator allows the allocation, or a second payment was refunded',
    },
    FAILED: {
      allowedActors: ['admin'],
      reason: 'its money was refunded, or reversed and the gold was recovered',
    },
  },
};

/**
 * Declares every transition of an installment. It has the transitions of a buy. It can also be paid
 * after it failed, because it has no price lock.
 */
export const installmentTransitions: TransitionTable<BuyStatus, ActorKind> = {
  ...buyTransitions,
  FAILED: {
    ...buyTransitions.FAILED,
    PENDING: { allowedActors: ['customer'], reason: 'the customer pays it after all' },
  },
};

const verifyActors: readonly ActorKind[] = ['customer', 'janitor'];
const confirmActors: readonly ActorKind[] = [...verifyActors, 'admin'];
const payoutActors: readonly ActorKind[] = ['payout-provider', ...workerActors];

/**
 * Declares every transition of a sale (contract: states > Gold order, sell). An error after
 * VERIFIED does not change the state. The order keeps its state and its reserved grams, and its
 * `manual_review_code` puts it under review.
 */
export const sellTransitions: TransitionTable<SellStatus, ActorKind> = {
  PENDING: {
    VERIFIED: { allowedActors: ['customer'], reason: 'the provider would buy the gold' },
    FAILED: {
      allowedActors: verifyActors,
      reason: 'no verify, one of other grams, or a process that died before it',
    },
  },
  VERIFIED: {
    CONFIRMED: { allowedActors: confirmActors, reason: 'the provider bought the gold' },
    FAILED: { allowedActors: confirmActors, reason: 'the provider will never buy the gold' },
  },
  CONFIRMED: {
    COMPLETED: { allowedActors: payoutActors, reason: 'the payout was paid' },
  },
  COMPLETED: {
    CONFIRMED: { allowedActors: payoutActors, reason: 'the payout came back' },
  },
  FAILED: {},
};

/** Returns true for a state in which an order is paid and waits for its gold. */
export const isAwaitingAllocation = (status: string): status is 'PAID' | 'RETRY_PENDING' =>
  status === 'PAID' || status === 'RETRY_PENDING';

/** The columns that change with a state. An omitted column keeps its value. */
export interface OrderChanges {
  readonly paidAt?: Date | null;
  readonly allocatedAt?: Date;
  readonly recoveredAt?: Date;
  readonly allocationAttempts?: number;
  readonly nextAttemptAt?: Date | null;
  readonly manualReviewCode?: ManualReviewCode | null;
  readonly manualReviewReason?: string | null;
  readonly failureCode?: string | null;
  readonly refundReference?: string | null;
  readonly providerTxId?: string;
  readonly providerRateId?: string;
  readonly providerAmountPaise?: bigint;
  readonly providerInvoiceId?: string;
  readonly priceDifferencePaise?: bigint;
  readonly lockStartedAt?: Date;
  readonly lockEndsAt?: Date;
  readonly expiresAt?: Date;
}

interface OrderTransition<S extends string> {
  readonly to: S;
  /**
   * The event that caused the transition, for example the gateway's name of an event or
   * `allocation.retry`.
   */
  readonly cause: string;
  readonly actor: Actor;
  readonly requestId?: string | undefined;
  readonly changes?: OrderChanges;
  /** Details that are stored in the history with the transition. */
  readonly detail?: JsonObject;
}

/** An order, in the state in which the caller has read it. */
interface OrderState<S extends string> {
  readonly id: string;
  readonly status: S;
}

export interface TransitionDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Changes the state of an order, in the caller's transaction. Every change of an order's state uses
 * this function. It checks the transition table, updates the row only if the state is still the one
 * that the caller has read, and writes the history row.
 * @throws AppError ILLEGAL_TRANSITION, after logging it, if the table or the row does not allow it
 */
const transitionOrder = <S extends string>(
  { clock, random, logger }: TransitionDeps,
  table: TransitionTable<S, ActorKind>,
  tx: Db,
  { id, status: from }: OrderState<S>,
  { to, cause, actor, requestId, changes = {}, detail }: OrderTransition<S>,
): Promise<void> => {
  const at = clock.now();
  const machine = { name: 'gold order', idField: 'orderId', table, logger };
  return transition(machine, {
    id,
    from,
    to,
    cause,
    actor,
    // One statement writes the state and its history row, so that neither exists without the other.
    update: () =>
      execute(
        tx,
        sql`
          WITH moved AS (
            UPDATE gold_order
            SET ${sqlChanges({ status: to, updatedAt: at, ...changes })}
            WHERE id = ${id}::uuid AND status = ${from}
            RETURNING id)
          INSERT INTO gold_order_event
            (id, order_id, from_status, to_status, cause, actor, request_id, detail, at)
          SELECT ${random.uuid()}::uuid, id, ${from}, ${to}, ${cause}, ${actor},
            ${requestId ?? null}, ${detail === undefined ? null : JSON.stringify(detail)}::jsonb,
            ${at}::timestamptz
          FROM moved`,
      ),
  });
};

/**
 * Changes the state of a buy or an installment.
 * @throws AppError ILLEGAL_TRANSITION (contract: states > Gold order, buy)
 */
export const transitionBuy = (
  deps: TransitionDeps,
  tx: Db,
  order: OrderState<BuyStatus>,
  step: OrderTransition<BuyStatus>,
): Promise<void> => transitionOrder(deps, buyTransitions, tx, order, step);

/**
 * Changes the state of an installment by a transition that buys do not have.
 * @throws AppError ILLEGAL_TRANSITION (contract: states > Gold order, buy)
 */
export const transitionInstallment = (
  deps: TransitionDeps,
  tx: Db,
  order: OrderState<BuyStatus>,
  step: OrderTransition<BuyStatus>,
): Promise<void> => transitionOrder(deps, installmentTransitions, tx, order, step);

/**
 * Changes the state of a sale.
 * @throws AppError ILLEGAL_TRANSITION (contract: states > Gold order, sell)
 */
export const transitionSale = (
  deps: TransitionDeps,
  tx: Db,
  order: OrderState<SellStatus>,
  step: OrderTransition<SellStatus>,
): Promise<void> => transitionOrder(deps, sellTransitions, tx, order, step);
