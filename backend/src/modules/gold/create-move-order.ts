import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { mayMove } from './gold.states.ts';
import type { Actor, BuyStatus, ManualReviewCode } from './gold.types.ts';

/** Columns that change with a state; what is left out stays. */
export interface OrderChanges {
  readonly paidAt?: Date;
  readonly allocatedAt?: Date;
  readonly allocationAttempts?: number;
  readonly nextAttemptAt?: Date | null;
  readonly manualReviewCode?: ManualReviewCode | null;
  readonly manualReviewReason?: string | null;
  readonly failureCode?: string | null;
  readonly providerInvoiceId?: string;
}

export interface OrderMove {
  readonly to: BuyStatus;
  readonly cause: string;
  readonly actor: Actor;
  readonly requestId?: string | undefined;
  readonly changes?: OrderChanges;
  /** Kept in the history beside the move. */
  readonly detail?: JsonObject;
}

/** Moves an order from the state in which it was read, in the caller's transaction. */
export type MoveOrder = (
  db: Db,
  order: { readonly id: string; readonly status: BuyStatus },
  move: OrderMove,
) => Promise<void>;

/**
 * The only way an order changes its state: held against the table, an update conditional on the
 * state before whose count is checked, and the row of its history (decisions, section 3).
 * @throws AppError ILLEGAL_TRANSITION, after logging it, for anything else
 */
export const createMoveOrder = (options: {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}): MoveOrder => {
  const { clock, random, logger } = options;

  const refuse = (orderId: string, from: string, move: OrderMove, why: string): never => {
    const { to, cause, actor } = move;
    logger.error({ orderId, from, to, cause, actor, why }, 'a move of a gold order was refused');
    throw new AppError('ILLEGAL_TRANSITION', { details: { from, to } });
  };

  return async (db, { id, status: from }, move) => {
    const { to, cause, actor, requestId, changes = {}, detail } = move;
    if (!mayMove(from, to, actor)) refuse(id, from, move, 'not in the table');
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
