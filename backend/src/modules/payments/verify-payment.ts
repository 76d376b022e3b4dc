import type { CheckoutProof } from '../../adapters/payment-gateway/port.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { findRecordedPayment } from './gateway-payments.store.ts';
import { findPaymentOrder } from './payment-orders.store.ts';
import type { VerifyBody } from './payments.schemas.ts';
import type { PaymentOrder, PaymentsDeps } from './payments.types.ts';
import { pollGateway } from './poll-gateway.ts';

interface VerifyRequest {
  readonly userId: string;
  readonly paymentOrderId: string;
  readonly proof: VerifyBody;
  readonly requestId: string;
}

/**
 * Returns the caller's own payment order.
 * @throws AppError NOT_FOUND, also for another customer's payment order
 */
export const findOwnPaymentOrder = async (
  db: Db,
  userId: string,
  id: string,
): Promise<PaymentOrder> => {
  const order = await findPaymentOrder(db, id);
  if (order === undefined || order.userId !== userId) throw new AppError('NOT_FOUND');
  return order;
};

type GatewayOrderProof = Pick<CheckoutProof, 'gatewayOrderId'>;

const requireSameOrder = (order: PaymentOrder, { gatewayOrderId }: GatewayOrderProof): void => {
  if (order.gatewayOrderId !== gatewayOrderId) throw new AppError('PAYMENT_MISMATCH');
};

const checkProof = async (
  { gateways }: PaymentsDeps,
  order: PaymentOrder,
  proof: CheckoutProof,
): Promise<void> => {
  const checked = await gateways.get(order.gateway)?.verifyCheckout(proof);
  if (checked?.kind !== 'done') throw new AppError('GATEWAY_UNAVAILABLE');
  if (!checked.value) throw new AppError('SIGNATURE_MISMATCH');
};

/**
 * Verifies the proof that the checkout gave to the customer's device, and returns the payment order
 * (contract: payments-and-webhooks > Verify). A valid proof is not a payment, so the gateway is also
 * polled, and a capture is applied as a webhook would. If the gateway does not answer, or was polled
 * too often recently, the payment order is returned unchanged.
 * @throws AppError NOT_FOUND, PAYMENT_MISMATCH, SIGNATURE_MISMATCH (nothing is written),
 *   GATEWAY_UNAVAILABLE if the proof itself can't be checked
 */
export const verifyPayment = async (
  deps: PaymentsDeps,
  { userId, paymentOrderId, proof: body, requestId }: VerifyRequest,
): Promise<PaymentOrder> => {
  const { db } = deps;
  const order = await findOwnPaymentOrder(db, userId, paymentOrderId);
  const proof = {
    gatewayOrderId: body.gateway_order_id,
    gatewayPaymentId: body.gateway_payment_id,
    signature: body.signature,
  };
  requireSameOrder(order, proof);
  // A signed proof is checked locally, so its check needs no bound.
  const isSigned = deps.gateways.get(order.gateway)?.checksProofsByQuery !== true;
  if (isSigned) await checkProof(deps, order, proof);
  const recordedPayment = await findRecordedPayment(db, order.gateway, proof.gatewayPaymentId);
  const isCaptured =
    recordedPayment?.status === 'CAPTURED' && recordedPayment.disposition !== 'UNMATCHED';
  if (isSigned && isCaptured) return order;
  const use = await deps.questions(db, order.id);
  if (use.isAllowed) {
    if (!isSigned) await checkProof(deps, order, proof);
    if (!isCaptured) await pollGateway(deps, order, 'checkout', requestId);
  } else if (!isSigned && recordedPayment === undefined) {
    throw new AppError('GATEWAY_UNAVAILABLE', { retryAfterSeconds: use.retryAfterSeconds });
  }
  return findOwnPaymentOrder(db, userId, paymentOrderId);
};
