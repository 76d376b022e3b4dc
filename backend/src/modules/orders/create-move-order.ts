import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { buyMoves, mayMove, sellMoves, type MoveTable } from './gold.states.ts';
import type { Actor, BuyStatus, ManualReviewCode, SellStatus } from './gold.types.ts';

/** Columns that change with a state; what is left out stays. */
export interface OrderChanges {
  readonly paidAt?: Date;
  readonly allocatedAt?: Date;
  readonly allocationAttempts?: number;
  readonly nextAttemptAt?: Date | null;
  readonly manualReviewCode?: ManualReviewCode | null;
  readonly manualReviewReason?: string | null;
  readonly failureCode?: string | null;
  readonly refundReference?: string;
  readonly providerTxId?: string;
  readonly providerRateId?: string;
  readonly providerAmountPaise?: bigint;
  readonly providerInvoiceId?: string;
  readonly priceDifferencePaise?: bigint;
  readonly lockStartedAt?: Date;
  readonly lockEndsAt?: Date;
  readonly expiresAt?: Date;
}

export interface OrderMove<S extends string> {
  readonly to: S;
  readonly cause: string;
  readonly actor: Actor;
  readonly requestId?: string | undefined;
  readonly changes?: OrderChanges;
  /** Kept in the history beside the move. */
  readonly detail?: JsonObject;
}

/** Moves an order from the state in which it was read, in the caller's transaction. */
type Mover<S extends string> = (
  db: Db,
  order: { readonly id: string; readonly status: S },
  move: OrderMove<S>,
) => Promise<void>;

export type MoveOrder = Mover<BuyStatus>;
export type MoveSell = Mover<SellStatus>;

interface MoverOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * The only way an order changes its state: held against its table, an update conditional on the
 * state before whose count is checked, and the row of its history (decisions, section 3).
 * @throws AppError ILLEGAL_TRANSITION, after logging it, for anything else
 */
const createMover = <S extends string>(options: MoverOptions, table: MoveTable<S>): Mover<S> => {
  const { clock, random, logger } = options;

  const refuse = (orderId: string, from: string, move: OrderMove<S>, why: string): never => {
    const { to, cause, actor } = move;
    logger.error({ orderId, from, to, cause, actor, why }, 'a move of a gold order was refused');
    throw new AppError('ILLEGAL_TRANSITION', { details: { from, to } });
  };

  return async (db, { id, status: from }, move) => {
    const { to, cause, actor, requestId, changes = {}, detail } = move;
    if (!mayMove(table, { from, to, actor })) refuse(id, from, move, 'not in the table');
    const at = clock.now();
    const { count } = await db.goldOrder.updateMany({
      where: { id, status: from },
      data: { status: to, updatedAt: at, ...changes },
    });
    if (count !== 1) refuse(id, from, move, 'the order was in another state');
    await db.$executeRaw`
      INSERT INTO gold_order_event
        (id, order_id, from_status, to_status, cause, actor, request_id, detail, at)
      VALUES (${random.uuid()}::uuid, ${id}::uuid, ${from}, ${to}, ${cause}, ${actor},
        ${requestId ?? null}, ${detail === undefined ? null : JSON.stringify(detail)}::jsonb,
        ${at}::timestamptz)`;
    logger.info({ orderId: id, from, to, cause, actor }, 'gold order moved');
  };
};

/** Moves orders that are paid for: buys and installments. */
export const createMoveOrder = (options: MoverOptions): MoveOrder => createMover(options, buyMoves);

/** Moves sells. */
export const createMoveSell = (options: MoverOptions): MoveSell => createMover(options, sellMoves);
