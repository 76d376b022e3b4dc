import type { CheckoutProof } from '../../adapters/payment-gateway/port.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { AskGateway } from './ask-gateway.ts';
import type { GatewaysByCode } from './choose-gateway.ts';
import { createGatewayPaymentStore } from './gateway-payment.store.ts';
import { createPaymentOrderStore } from './payment-order.store.ts';
import type { VerifyBody } from './payments.schemas.ts';
import type { PaymentOrder } from './payments.types.ts';

export interface VerifyPaymentDeps {
  readonly db: Db;
  readonly gateways: GatewaysByCode;
  readonly askGateway: AskGateway;
}

export interface VerifyRequest {
  readonly userId: string;
  readonly paymentOrderId: string;
  readonly proof: VerifyBody;
  readonly requestId: string;
}

/** The caller's own payment order. @throws AppError NOT_FOUND, for somebody else's too */
export const findOwnPaymentOrder = async (
  db: Db,
  userId: string,
  id: string,
): Promise<PaymentOrder> => {
  const order = await createPaymentOrderStore(db).find(id);
  if (order === undefined || order.userId !== userId) throw new AppError('NOT_FOUND');
  return order;
};

/**
 * What the checkout told the customer's device, checked (interface, Payments). A match is not
 * payment: the gateway is asked, and a capture that it confirms goes the webhook's way. Where it
 * gives no answer, the payment order is answered as it is.
 * @throws AppError NOT_FOUND, PAYMENT_MISMATCH, SIGNATURE_MISMATCH (nothing written),
 *   GATEWAY_UNAVAILABLE when the proof itself can't be checked
 */
export const createVerifyPayment = ({ db, gateways, askGateway }: VerifyPaymentDeps) => {
  const check = async (order: PaymentOrder, proof: CheckoutProof): Promise<void> => {
    if (order.gatewayOrderId !== proof.gatewayOrderId) throw new AppError('PAYMENT_MISMATCH');
    const checked = await gateways.get(order.gateway)?.verifyCheckout(proof);
    if (checked?.kind !== 'done') throw new AppError('GATEWAY_UNAVAILABLE');
    if (!checked.value) throw new AppError('SIGNATURE_MISMATCH');
  };

  return async (request: VerifyRequest): Promise<PaymentOrder> => {
    const { userId, paymentOrderId, requestId } = request;
    const order = await findOwnPaymentOrder(db, userId, paymentOrderId);
    const proof = {
      gatewayOrderId: request.proof.gateway_order_id,
      gatewayPaymentId: request.proof.gateway_payment_id,
      signature: request.proof.signature,
    };
    await check(order, proof);
    const known = await createGatewayPaymentStore(db).find(order.gateway, proof.gatewayPaymentId);
    if (known?.status !== 'CAPTURED' || known.standing === 'UNMATCHED') {
      await askGateway.askFor(order, 'checkout', requestId);
    }
    return findOwnPaymentOrder(db, userId, paymentOrderId);
  };
};

export type VerifyPayment = ReturnType<typeof createVerifyPayment>;
