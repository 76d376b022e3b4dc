import type { Db } from '../../platform/db/index.ts';
import { defineRoute, idParams, ok, signedIn, type Route } from '../../platform/http/index.ts';
import {
  paymentOrderSchema,
  verifyBodySchema,
  verifyReplySchema,
  type PaymentOrderView,
} from './payments.schemas.ts';
import type { PaymentOrder } from './payments.types.ts';
import { findOwnPaymentOrder, type VerifyPayment } from './verify-payment.ts';

interface CustomerRouteDeps {
  readonly db: Db;
  readonly verifyPayment: VerifyPayment;
  readonly present: (order: PaymentOrder) => PaymentOrderView;
}

/** What these routes need of the customer who is signed in. */
const customer = signedIn<{ readonly userId: string }>();
const tags = ['payments'];

/** A customer's own payment orders; they are made where their quotes are consumed. */
export const paymentCustomerRoutes = ({
  db,
  verifyPayment,
  present,
}: CustomerRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/payments/orders/:id',
    summary: 'One payment order, as far as the backend itself knows',
    tags,
    access: customer,
    params: idParams,
    responses: { 200: paymentOrderSchema },
    handler: async ({ params, principal }) =>
      ok(present(await findOwnPaymentOrder(db, principal.userId, params.id))),
  }),
  defineRoute({
    method: 'POST',
    path: '/payments/orders/:id/verify',
    summary: "Check the checkout's answer, and ask the gateway about the payment",
    tags,
    access: customer,
    params: idParams,
    body: verifyBodySchema,
    responses: { 200: verifyReplySchema },
    errors: ['SIGNATURE_MISMATCH', 'PAYMENT_MISMATCH', 'GATEWAY_UNAVAILABLE'],
    handler: async ({ params, body, principal, context }) => {
      const payment = await verifyPayment({
        userId: principal.userId,
        paymentOrderId: params.id,
        proof: body,
        requestId: context.requestId,
      });
      return ok({ verified: true, payment: present(payment) });
    },
  }),
];
