import { type TransitionTable, transition } from '../../platform/transitions/transitions.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { execute, sql, sqlChanges, type Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { BuyStatus, SellStatus, Actor, ManualReviewCode } from './orders.types.ts';

/**
 * The kinds of actors that cause transitions. The kind is the part of an actor before the colon.
 */
type ActorKind = 'customer' | 'gateway' | 'payout-provider' | 'worker' | 'janitor' | 'admin';

const payment: readonly ActorKind[] = ['gateway', 'customer', 'janitor'];
const machine: readonly ActorKind[] = ['worker', 'janitor'];

/**
 * Declares every transition of an order that is paid for (contract: states > Gold order, buy). Any
 * other transition is refused and logged. A retry passes through PAID again, so that only a PAID
 * order is ever allocated. The one exception is gold that turns out to have been bought for an
 * order under review.
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
 * Declares every transition of an installment. It has those of a buy, and it may be paid after it
 * failed, because it has no price lock.
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
 * Declares every transition of a sale (contract: states > Gold order, sell). An error after
 * VERIFIED does not change the state. The order keeps its state and its reserved grams, and its
 * `manual_review_code` puts it under review.
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

/** Columns that change with a state. Omitted columns stay. */
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

/** An order in the state in which it was read. */
interface OrderIn<S extends string> {
  readonly id: string;
  readonly status: S;
}

export interface TransitionDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Changes the state of an order from the one in which it was read, in the caller's transaction.
 * Every change of state goes through it. It checks the transition table, updates the row only while
 * the state is unchanged, and writes the history row.
 * @throws AppError ILLEGAL_TRANSITION, after logging it, for anything else
 */
const transitionOrder = <S extends string>(
  { clock, random, logger }: TransitionDeps,
  table: TransitionTable<S, ActorKind>,
  tx: Db,
  { id, status: from }: OrderIn<S>,
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
  order: OrderIn<BuyStatus>,
  step: OrderTransition<BuyStatus>,
): Promise<void> => transitionOrder(deps, buyTransitions, tx, order, step);

/**
 * Changes the state of an installment by a transition that buys do not have.
 * @throws AppError ILLEGAL_TRANSITION (contract: states > Gold order, buy)
 */
export const transitionInstallment = (
  deps: TransitionDeps,
  tx: Db,
  order: OrderIn<BuyStatus>,
  step: OrderTransition<BuyStatus>,
): Promise<void> => transitionOrder(deps, installmentTransitions, tx, order, step);

/**
 * Changes the state of a sale.
 * @throws AppError ILLEGAL_TRANSITION (contract: states > Gold order, sell)
 */
export const transitionSale = (
  deps: TransitionDeps,
  tx: Db,
  order: OrderIn<SellStatus>,
  step: OrderTransition<SellStatus>,
): Promise<void> => transitionOrder(deps, sellTransitions, tx, order, step);
