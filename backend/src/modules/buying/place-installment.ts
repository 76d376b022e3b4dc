import type { Paise } from '../../money/index.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { enqueue, schedule } from '../../platform/jobs/index.ts';
import {
  insertInstallmentOrder,
  lockOrder,
  postponeInstallment,
  transitionInstallment,
  type TransitionDeps,
} from '../orders/index.ts';
import {
  type PaymentOrderRequest,
  findPaymentOrder,
  insertPaymentOrder,
  postponeExpiry,
  isTurnedDownEverywhere,
} from '../payments/index.ts';
import { debitJob } from './debit-installments.ts';
import { openCheckoutJob } from './open-installment-checkout.ts';

interface InstallmentToPlace {
  readonly userId: string;
  readonly planId: string;
  /** From 1; the database refuses a second one of a number. */
  readonly installmentNo: number;
  readonly amountPaise: Paise;
  /** The day of the schedule, which may lie behind. */
  readonly dueAt: Date;
  /** From `chooseGateway`, read before the transaction; with a mandate, the mandate's. */
  readonly gateway: string;
  readonly mandate?: {
    /** From `sealMandateToken`. */
    readonly tokenSealed: string;
    /** 24 h after the customer was notified, at the earliest. */
    readonly debitAt: Date;
  };
}

interface InstallmentToPay {
  readonly orderId: string;
  /** The customer, whose own installment it must be. */
  readonly userId: string;
  /** From `chooseGateway`, read before the transaction. */
  readonly gateway: string;
  readonly requestId: string;
}

/** An installment that is committed with the caller's transaction. */
export interface PlacedInstallment {
  readonly orderId: string;
  readonly paymentOrderId: string;
}

/**
 * Creates the two ways in which an installment comes to be paid, both in the caller's transaction
 * (contract: plans > Installments). The gateway is not called here: a job that the transaction
 * writes opens the checkout, and a mandate is debited when it is due.
 */
export const createPlaceInstallment = (deps: TransitionDeps) => {
  const { clock, random } = deps;

  const askForPayment = async (
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

  return {
    /**
     * Writes the gold order of an installment, PENDING with its history, and its payment order.
     * @throws a unique violation where this installment of the plan was raised before
     */
    async placeInstallment(tx: Db, given: InstallmentToPlace): Promise<PlacedInstallment> {
      const { userId, amountPaise, gateway, mandate } = given;
      const at = clock.now();
      const payableFrom = mandate === undefined || mandate.debitAt < at ? at : mandate.debitAt;
      const expiresAt = addMs(payableFrom, installmentLifeMs);
      const orderId = random.uuid();
      const eventId = random.uuid();
      await insertInstallmentOrder(tx, { ...given, id: orderId, eventId, expiresAt, at });
      return askForPayment(tx, {
        userId,
        orderId,
        gateway,
        amountPaise,
        expiresAt,
        ...(mandate !== undefined && {
          debit: { mandateTokenSealed: mandate.tokenSealed, dueAt: mandate.debitAt },
        }),
      });
    },

    /**
     * Returns a FAILED installment to PENDING, with a new payment order and 72 h to pay it.
     * @throws AppError NOT_FOUND for an order that is not the customer's installment;
     *   ILLEGAL_TRANSITION unless it is FAILED, and where its gold was recovered: an order is
     *   allocated once
     */
    async payInstallmentAgain(tx: Db, given: InstallmentToPay): Promise<PlacedInstallment> {
      const { orderId, userId, gateway, requestId } = given;
      const order = await lockOrder(tx, orderId);
      if (order?.type !== 'SIP_INSTALLMENT' || order.userId !== userId) {
        throw new AppError('NOT_FOUND');
      }
      const { status, amountPaise, allocatedAt } = order;
      if (status !== 'FAILED' || allocatedAt !== null) {
        throw new AppError('ILLEGAL_TRANSITION', {
          message: 'Only an installment that was not paid can be paid again.',
        });
      }
      const expiresAt = addMs(clock.now(), installmentLifeMs);
      await transitionInstallment(
        deps,
        tx,
        { id: orderId, status },
        {
          to: 'PENDING',
          cause: 'installment.paid-again',
          actor: `customer:${userId}`,
          requestId,
          changes: {
            expiresAt,
            failureCode: null,
            refundReference: null,
            paidAt: null,
            allocationAttempts: 0,
            nextAttemptAt: null,
          },
        },
      );
      return askForPayment(tx, { userId, orderId, gateway, amountPaise, expiresAt });
    },
  };
};

export type PlaceInstallment = ReturnType<typeof createPlaceInstallment>;

/** An installment may be paid for so long after it was raised, or after its debit was due. */
const installmentLifeMs = 72 * 3_600_000;

/** An installment whose gateway answers at once keeps the end that it was raised with. */
const deferredMs = 600_000;

interface InstallmentLifeDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
}

/**
 * Creates the renewal of an installment's 72 h before it is first asked for: one that a gateway or
 * a closed gate has deferred has its whole time from then on. One that every gateway has turned
 * down is not deferred: its 72 h go on, so that it fails and its customer can act (contract: plans
 * > Schedule).
 */
export const createRenewLife =
  ({ db, inTransaction, clock }: InstallmentLifeDeps) =>
  async (paymentOrderId: string): Promise<void> => {
    const found = await findPaymentOrder(db, paymentOrderId);
    const expiresAt = addMs(clock.now(), installmentLifeMs);
    const isDeferred =
      found?.expiresAt !== undefined &&
      found.expiresAt !== null &&
      found.expiresAt < addMs(expiresAt, -deferredMs);
    if (!isDeferred || (await isTurnedDownEverywhere(db, paymentOrderId))) return;
    await inTransaction(async (tx) => {
      const order = await lockOrder(tx, found.orderId);
      if (order?.status !== 'PENDING') return;
      const now = clock.now();
      const isPostponed = await postponeExpiry(tx, paymentOrderId, expiresAt, now);
      if (isPostponed) await postponeInstallment(tx, order.id, expiresAt, now);
    });
  };
