import type { Clock } from '../../platform/clock/clock.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { transition, type TransitionTable } from '../../platform/transitions/transitions.ts';
import {
  buyTransitions,
  installmentTransitions,
  sellTransitions,
  type ActorKind,
} from './orders.states.ts';
import type { Actor, BuyStatus, ManualReviewCode, SellStatus } from './orders.types.ts';

/** Columns that change with a state; what is left out stays. */
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

export interface OrderTransition<S extends string> {
  readonly to: S;
  /** The event behind it: the gateway's name of one, `allocation.retry`, ... */
  readonly cause: string;
  readonly actor: Actor;
  readonly requestId?: string | undefined;
  readonly changes?: OrderChanges;
  /** Kept in the history beside the transition. */
  readonly detail?: JsonObject;
}

/** Changes the state of an order from the one in which it was read, in the caller's transaction. */
type TransitionOrder<S extends string> = (
  db: Db,
  order: { readonly id: string; readonly status: S },
  transition: OrderTransition<S>,
) => Promise<void>;

export type TransitionBuy = TransitionOrder<BuyStatus>;
export type TransitionSale = TransitionOrder<SellStatus>;

interface TransitionDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Creates the only way in which an order changes its state: held against its table, an update
 * conditional on the state before whose count is checked, and the row of its history.
 * @throws AppError ILLEGAL_TRANSITION, after logging it, for anything else
 */
const createTransition = <S extends string>(
  { clock, random, logger }: TransitionDeps,
  table: TransitionTable<S, ActorKind>,
): TransitionOrder<S> => {
  const machine = { name: 'gold order', idField: 'orderId', table, logger };
  return (db, { id, status: from }, { to, cause, actor, requestId, changes = {}, detail }) => {
    const at = clock.now();
    return transition(machine, {
      id,
      from,
      to,
      cause,
      actor,
      update: async () => {
        const data = { status: to, updatedAt: at, ...changes };
        const { count } = await db.goldOrder.updateMany({ where: { id, status: from }, data });
        return count;
      },
      recordHistory: async () => {
        // Raw: one statement, where create() would read the row back.
        await execute(
          db,
          sql`
            INSERT INTO gold_order_event
              (id, order_id, from_status, to_status, cause, actor, request_id, detail, at)
            VALUES (${random.uuid()}::uuid, ${id}::uuid, ${from}, ${to}, ${cause}, ${actor},
              ${requestId ?? null}, ${detail === undefined ? null : JSON.stringify(detail)}::jsonb,
              ${at}::timestamptz)`,
        );
      },
    });
  };
};

/** For orders that are paid for: buys and installments. */
export const createTransitionBuy = (deps: TransitionDeps): TransitionBuy =>
  createTransition(deps, buyTransitions);

/** For installments alone: what a buy's table has not. */
export const createTransitionInstallment = (deps: TransitionDeps): TransitionBuy =>
  createTransition(deps, installmentTransitions);

export const createTransitionSale = (deps: TransitionDeps): TransitionSale =>
  createTransition(deps, sellTransitions);
