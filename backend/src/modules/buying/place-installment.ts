import type { Paise } from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { enqueue, schedule } from '../../platform/jobs/index.ts';
import { lockHolding } from '../holdings/index.ts';
import {
  extendInstallmentExpiry,
  insertInstallmentOrder,
  lockOrder,
  transitionInstallment,
  type TransitionDeps,
} from '../orders/index.ts';
import {
  insertPaymentOrder,
  isOpenPaymentOrder,
  listPaymentOrders,
  type PaymentOrderRequest,
} from '../payments/index.ts';
import { checkDailyBuys } from '../quotes/index.ts';
import type { Limits } from '../settings/index.ts';
import { paymentWindowMs } from './extend-payment-window.ts';
import { debitJob, openCheckoutJob } from './installment.jobs.ts';

interface Installment {
  readonly userId: string;
  readonly planId: string;
  /** The number of the installment in its plan, from 1. A plan has each number at most once. */
  readonly installmentNo: number;
  readonly amountPaise: Paise;
  /** The scheduled day, which may be in the past. */
  readonly dueAt: Date;
}

interface InstallmentToPlace extends Installment {
  /**
   * The gateway that `chooseGateway` returned before the transaction, or the gateway of the
   * mandate.
   */
  readonly gateway: string;
  readonly mandate?: {
    /** The sealed token that `sealMandateToken` returned. */
    readonly tokenSealed: string;
    /** The time of the debit, at least 24 h after the customer was notified. */
    readonly debitAt: Date;
  };
}

interface InstallmentToPay {
  readonly orderId: string;
  /** The customer who pays. The installment must belong to this customer. */
  readonly userId: string;
  /** The gateway that `chooseGateway` returned before the transaction. */
  readonly gateway: string;
  readonly requestId: string;
}

/** The ids of an installment that was written in the caller's transaction. */
export interface PlacedInstallment {
  readonly orderId: string;
  readonly paymentOrderId: string;
}

/**
 * Writes the payment order of an installment, in the caller's transaction. It does not call the
 * gateway. It queues the job that opens the checkout, or schedules the job that debits the mandate.
 */
const requestPayment = async (
  { clock, random }: TransitionDeps,
  tx: Db,
  request: PaymentOrderRequest & { readonly expiresAt: Date },
): Promise<PlacedInstallment> => {
  const paymentOrderId = random.uuid();
  await insertPaymentOrder(tx, paymentOrderId, request, clock.now());
  const { debit } = request;
  if (debit === undefined) await enqueue(tx, openCheckoutJob(paymentOrderId));
  else await schedule(tx, debitJob(paymentOrderId, debit.dueAt));
  return { orderId: request.orderId, paymentOrderId };
};

/**
 * Inserts the PENDING gold order of an installment, its history and its payment order, in the
 * caller's transaction (contract: plans > Installments).
 * @throws a unique violation if this installment of the plan already exists
 */
export const placeInstallment = async (
  deps: TransitionDeps,
  tx: Db,
  installment: InstallmentToPlace,
): Promise<PlacedInstallment> => {
  const { clock, random } = deps;
  const { userId, amountPaise, gateway, mandate } = installment;
  const at = clock.now();
  const payableFrom = mandate === undefined || mandate.debitAt < at ? at : mandate.debitAt;
  const expiresAt = addMs(payableFrom, paymentWindowMs);
  const orderId = random.uuid();
  const eventId = random.uuid();
  await insertInstallmentOrder(tx, { ...installment, id: orderId, eventId, expiresAt, at });
  return requestPayment(deps, tx, {
    userId,
    orderId,
    gateway,
    amountPaise,
    expiresAt,
    ...(mandate !== undefined && {
      debit: { mandateTokenSealed: mandate.tokenSealed, dueAt: mandate.debitAt },
    }),
  });
};

/**
 * Writes the PENDING gold order of an installment that is not debited, without a payment order, in
 * the caller's transaction (contract: plans > Missed debits). Its customer may pay it until
 * `payableUntil`, and then it fails. Returns the order's id.
 * @throws a unique violation if this installment of the plan already exists
 */
export const placeUndebited = async (
  { clock, random }: TransitionDeps,
  tx: Db,
  { payableUntil, ...installment }: Installment & { readonly payableUntil: Date },
): Promise<string> => {
  const [id, eventId] = [random.uuid(), random.uuid()];
  const order = { ...installment, id, eventId, expiresAt: payableUntil, at: clock.now() };
  await insertInstallmentOrder(tx, order);
  return id;
};

/** Clears the columns that an earlier payment set. */
const clearedPayment = {
  failureCode: null,
  refundReference: null,
  paidAt: null,
  allocationAttempts: 0,
  nextAttemptAt: null,
};

/**
 * Locks the customer's installment, which must be FAILED, or PENDING without an open payment order.
 */
const lockPayableInstallment = async (
  tx: Db,
  { orderId, userId }: InstallmentToPay,
): Promise<{ readonly status: 'FAILED' | 'PENDING'; readonly amountPaise: Paise }> => {
  const order = await lockOrder(tx, orderId);
  if (order?.type !== 'SIP_INSTALLMENT' || order.userId !== userId) {
    throw new AppError('NOT_FOUND');
  }
  const { status, amountPaise, allocatedAt } = order;
  const isUnrequested = async () => {
    const paymentOrders = await listPaymentOrders(tx, [orderId]);
    return !paymentOrders.some((each) => isOpenPaymentOrder(each));
  };
  const isPayable =
    allocatedAt === null &&
    (status === 'FAILED' || (status === 'PENDING' && (await isUnrequested())));
  if (isPayable) return { status, amountPaise };
  throw new AppError('ILLEGAL_TRANSITION', {
    message: 'You can only pay an installment that was not paid. You have not been charged.',
  });
};

/**
 * Lets the customer pay an installment that is FAILED, or PENDING and not debited, in the caller's
 * transaction. The installment is PENDING afterwards, with a new payment order and 72 h to pay it.
 * Its checkout counts towards today's daily limit (contract: money > Trading limits).
 * @throws AppError NOT_FOUND for an order that is not the customer's installment,
 *   ILLEGAL_TRANSITION in any other state or if the installment was ever allocated, and
 *   LIMIT_EXCEEDED if the customer has reached the daily limit
 */
export const payInstallmentAgain = async (
  deps: TransitionDeps & { readonly limits: { current(): Promise<Limits> } },
  tx: Db,
  request: InstallmentToPay,
): Promise<PlacedInstallment> => {
  const { orderId, userId, gateway, requestId } = request;
  const { status, amountPaise } = await lockPayableInstallment(tx, request);
  const at = deps.clock.now();
  const limits = await deps.limits.current();
  await lockHolding(tx, userId);
  await checkDailyBuys(tx, { userId, amountPaise, installmentId: orderId }, limits, at);
  const expiresAt = addMs(at, paymentWindowMs);
  if (status === 'FAILED') {
    await transitionInstallment(
      deps,
      tx,
      { id: orderId, status },
      {
        to: 'PENDING',
        cause: 'installment.paid-again',
        actor: `customer:${userId}`,
        requestId,
        changes: { ...clearedPayment, expiresAt },
      },
    );
  } else await extendInstallmentExpiry(tx, orderId, expiresAt, at);
  const payment = { userId, orderId, gateway, amountPaise, expiresAt, checkoutOpenedAt: at };
  return requestPayment(deps, tx, payment);
};
