import { isAppError } from '../../platform/errors/app-error.ts';
import { payInstallmentAgain } from '../buying/index.ts';
import { requireApprovedKyc } from '../kyc/index.ts';
import { chooseGateway, createGatewayOrder } from '../payments/index.ts';
import { readInstallment, requirePlan } from './read-installments.ts';
import type { PlansDeps } from './plans.types.ts';

/** The errors after which the payment order's job creates the checkout later. */
const retriedErrors = ['NO_USABLE_GATEWAY', 'REQUEST_IN_PROGRESS'] as const;

/**
 * Lets a customer pay an installment that failed or was not debited. The gold order gets a new payment
 * order with a checkout. If the gateway does not respond, the installment is returned without a
 * checkout (contract: plans > Paying an installment).
 * @throws AppError PAYMENTS_DISABLED, KYC_REQUIRED, NOT_FOUND, NO_USABLE_GATEWAY, GATEWAY_MISMATCH,
 *   and ILLEGAL_TRANSITION if the installment can't be paid now
 */
export const payInstallment = async (
  deps: PlansDeps,
  request: {
    readonly userId: string;
    readonly planId: string;
    readonly orderId: string;
    readonly requestId: string;
  },
) => {
  const { userId, planId, orderId, requestId } = request;
  await deps.gates.requireBuyOpen();
  await requireApprovedKyc(deps.db, userId);
  await requirePlan(deps, userId, planId);
  await readInstallment(deps, planId, orderId);
  const gateway = await chooseGateway(deps.payments);
  const { paymentOrderId } = await deps.inTransaction((tx) =>
    payInstallmentAgain(deps, tx, { orderId, userId, gateway, requestId }),
  );
  try {
    await createGatewayOrder(deps.payments, paymentOrderId);
  } catch (error) {
    if (!retriedErrors.some((code) => isAppError(error, code))) throw error;
  }
  return readInstallment(deps, planId, orderId);
};
