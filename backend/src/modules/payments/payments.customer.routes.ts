import { defineRoute, idParams, ok, signedIn, type Route } from '../../platform/http/index.ts';
import {
  paymentOrderSchema,
  presentPaymentOrder,
  verifyBodySchema,
  verifyReplySchema,
} from './payments.schemas.ts';
import type { PaymentsDeps } from './payments.types.ts';
import { findOwnPaymentOrder, verifyPayment } from './verify-payment.ts';

/** The access of these routes, which need only the id of the signed-in customer. */
const customer = signedIn<{ readonly userId: string }>();
const tags = ['payments'];

/**
 * Declares the routes of a customer's own payment orders. The module `buying` creates the payment
 * orders.
 */
export const createPaymentCustomerRoutes = (deps: PaymentsDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/payments/orders/:id',
    summary: 'One payment order, without a query to the gateway',
    tags,
    access: customer,
    params: idParams,
    responses: { 200: paymentOrderSchema },
    handler: async ({ params, principal }) =>
      ok(
        presentPaymentOrder(deps, await findOwnPaymentOrder(deps.db, principal.userId, params.id)),
      ),
  }),
  defineRoute({
    method: 'POST',
    path: '/payments/orders/:id/verify',
    summary: 'Verify the result of the checkout and query the gateway for the payment',
    tags,
    access: customer,
    params: idParams,
    body: verifyBodySchema,
    responses: { 200: verifyReplySchema },
    errors: ['SIGNATURE_MISMATCH', 'PAYMENT_MISMATCH', 'GATEWAY_UNAVAILABLE'],
    handler: async ({ params, body, principal, context }) => {
      const payment = await verifyPayment(deps, {
        userId: principal.userId,
        paymentOrderId: params.id,
        proof: body,
        requestId: context.requestId,
      });
      return ok({ verified: true, payment: presentPaymentOrder(deps, payment) });
    },
  }),
];
