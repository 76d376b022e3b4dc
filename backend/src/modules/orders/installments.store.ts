import { gramsToDatabase, toSafeBps, type Bps, type Grams, type Paise } from '../../money/index.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { findOrders } from './orders.store.ts';
import type { GoldOrder } from './orders.types.ts';

export interface PlacedInstallment {
  readonly id: string;
  /** The id of the first row of the order's history. */
  readonly eventId: string;
  readonly userId: string;
  readonly planId: string;
  /** The number of the installment in its plan, from 1. */
  readonly installmentNo: number;
  readonly amountPaise: Paise;
  readonly dueAt: Date;
  readonly expiresAt: Date;
  readonly at: Date;
}

/**
 * Writes the order of an installment and the first row of its history in one statement. Only the
 * amount in rupees is fixed. The gold is bought at the price of the time after the payment.
 * @throws a unique violation if the plan has an installment of this number
 */
export const insertInstallmentOrder = async (
  db: Db,
  installment: PlacedInstallment,
): Promise<void> => {
  const { id, eventId, userId, planId, installmentNo, amountPaise, dueAt, expiresAt, at } =
    installment;
  await execute(
    db,
    sql`
      WITH placed AS (
        INSERT INTO gold_order (id, user_id, type, status, unit, amount_paise, sip_plan_id,
          installment_no, due_at, expires_at, created_at, updated_at)
        VALUES (${id}::uuid, ${userId}::uuid, 'SIP_INSTALLMENT', 'PENDING', 'INR',
          ${amountPaise}::bigint, ${planId}::uuid, ${installmentNo}::int, ${dueAt}::timestamptz,
          ${expiresAt}::timestamptz, ${at}::timestamptz, ${at}::timestamptz)
        RETURNING id, status)
      INSERT INTO gold_order_event (id, order_id, from_status, to_status, cause, actor, at)
      SELECT ${eventId}::uuid, id, NULL, status, 'installment.raised', 'worker',
        ${at}::timestamptz
      FROM placed`,
  );
};

interface VerifiedInstallment {
  readonly grams: Grams;
  readonly pricePerGramPaise: Paise;
  readonly goldValuePaise: Paise;
  readonly gstPaise: Paise;
  readonly gstRateBps: Bps;
  readonly roundingPaise: Paise;
  readonly provider: string;
  readonly providerTxId: string;
  readonly providerRateId: string;
  readonly providerAmountPaise: Paise;
  readonly lockStartedAt: Date;
  readonly lockEndsAt: Date;
}

/**
 * Stores the price and grams of the provider's verify for a paid installment, before the confirm.
 * These values replace those of an earlier verify whose confirm was refused. The customer sees them
 * only after the gold is credited. Returns false if the order no longer waits for its gold.
 */
export const updateVerifiedInstallment = async (
  tx: Db,
  orderId: string,
  verified: VerifiedInstallment,
  at: Date,
): Promise<boolean> => {
  const { count } = await tx.goldOrder.updateMany({
    where: {
      id: orderId,
      type: 'SIP_INSTALLMENT',
      status: { in: ['PAID', 'RETRY_PENDING'] },
      allocatedAt: null,
    },
    data: {
      grams: gramsToDatabase(verified.grams),
      pricePerGramPaise: verified.pricePerGramPaise,
      goldValuePaise: verified.goldValuePaise,
      gstPaise: verified.gstPaise,
      gstRateBps: toSafeBps(verified.gstRateBps),
      roundingPaise: verified.roundingPaise,
      provider: verified.provider,
      providerTxId: verified.providerTxId,
      providerRateId: verified.providerRateId,
      providerAmountPaise: verified.providerAmountPaise,
      lockStartedAt: verified.lockStartedAt,
      lockEndsAt: verified.lockEndsAt,
      updatedAt: at,
    },
  });
  return count === 1;
};

/** The condition for payment orders whose debit was not requested from the gateway yet. */
const hasUnrequestedDebit = {
  status: 'GATEWAY_ORDER_CREATED',
  debitStatus: 'SCHEDULED',
};

/**
 * The condition for payment orders without an order at a gateway that no gateway has refused. They
 * wait for a gateway that can be reached.
 */
const isWaitingForGateway = { status: 'CREATED', attempts: { none: { turnedDown: true } } };

/** Extends the time in which a PENDING installment can be paid. */
export const extendInstallmentExpiry = async (
  tx: Db,
  orderId: string,
  expiresAt: Date,
  at: Date,
): Promise<void> => {
  await tx.goldOrder.updateMany({
    where: { id: orderId, type: 'SIP_INSTALLMENT', status: 'PENDING' },
    data: { expiresAt, updatedAt: at },
  });
};

/**
 * Lists unpaid installments whose time to pay has ended, least recently swept first. It leaves out
 * installments whose payment could not be requested yet, because their 72 h will begin later.
 */
export const listLapsedInstallments = (
  db: Db,
  now: Date,
  limit: number,
): Promise<{ id: string }[]> =>
  db.goldOrder.findMany({
    where: {
      status: 'PENDING',
      type: 'SIP_INSTALLMENT',
      expiresAt: { lte: now },
      paymentOrders: { none: { OR: [isWaitingForGateway, hasUnrequestedDebit] } },
    },
    orderBy: [{ sweptAt: { sort: 'asc', nulls: 'first' } }, { expiresAt: 'asc' }],
    take: limit,
    select: { id: true },
  });

/** Lists one page of a plan's installments, newest first. */
export const listInstallments = (db: Db, planId: string, page: Page): Promise<GoldOrder[]> =>
  findOrders(db, {
    where: { sipPlanId: planId },
    orderBy: { installmentNo: 'desc' },
    take: page.limit,
    skip: offsetOf(page),
  });
