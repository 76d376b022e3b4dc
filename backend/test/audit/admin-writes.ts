import { changing, exempt, reason, type AdminWrite } from './admin-write.ts';
import { approvalWrites } from './approval-writes.ts';
import { credentialWrites } from './credential-writes.ts';
import { configurationWrites } from './configuration-writes.ts';
import { incidentWrites } from './incident-writes.ts';
import { newId } from '../migrations/rows.ts';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==';

const product = {
  name: 'Plain band',
  category: 'RINGS',
  purityKarat: 22,
  weightGrams: '3.5',
  pricingMode: 'FIXED',
  pricePaise: 100_000,
};

const password = 'correct horse';

const peopleWrites: Readonly<Record<string, AdminWrite>> = {
  'POST /auth/login': {
    prepare: async ({ factories }) => {
      const { email } = await factories.admin('SUPPORT', { password });
      return { path: '/auth/login', body: { email, password } };
    },
    status: 200,
    actions: ['admin.sign_in'],
    parts: 'none',
    bad: { body: { email: 'nobody@example.test', password: 'wrong' }, status: 401 },
  },
  // Nothing is kept of a session: the client forgets its token.
  'POST /auth/logout': exempt(() => ({ path: '/auth/logout' }), { status: 204 }),
  'PATCH /users/:id/block': changing(
    'user.block',
    async ({ factories }) => {
      const { userId } = await factories.customer();
      return { path: `/users/${userId}/block`, body: { blocked: true, ...reason } };
    },
    { again: 409, bad: { body: { blocked: true }, status: 400 } },
  ),
  'PATCH /users/:id/force-kyc-reverify': changing(
    'kyc.force-reverify',
    async ({ factories }) => {
      const { userId } = await factories.approvedCustomer();
      return { path: `/users/${userId}/force-kyc-reverify`, body: reason };
    },
    { again: 409 },
  ),
  'POST /kyc/:id/approve': changing(
    'kyc.approve',
    async (fixture) => ({ path: `/kyc/${await fixture.submittedKyc()}/approve` }),
    { again: 409 },
  ),
  'POST /kyc/:id/reject': changing(
    'kyc.reject',
    async (fixture) => ({ path: `/kyc/${await fixture.submittedKyc()}/reject`, body: reason }),
    { again: 409, bad: { body: {}, status: 400 } },
  ),
  'POST /kyc/:id/request-resubmit': changing(
    'kyc.request-resubmit',
    async (fixture) => ({
      path: `/kyc/${await fixture.submittedKyc()}/request-resubmit`,
      body: reason,
    }),
    { again: 409, bad: { body: {}, status: 400 } },
  ),
  'PATCH /support/tickets/:reference': changing(
    'support.tickets.update',
    async (fixture) => ({
      path: `/support/tickets/${await fixture.ticket()}`,
      body: { status: 'IN_PROGRESS', note: 'asked the bank' },
    }),
    { bad: { body: { status: 'LOST' }, status: 400 } },
  ),
  'POST /support/tickets/:reference/messages': changing(
    'support.tickets.message',
    async (fixture) => ({
      path: `/support/tickets/${await fixture.ticket()}/messages`,
      body: { message: 'We asked the bank.' },
    }),
    { status: 201, bad: { body: { message: ' ' }, status: 400 } },
  ),
  'PUT /support/tickets/:reference/assignee': changing(
    'support.tickets.assign',
    async (fixture) => {
      const { adminId } = await fixture.factories.admin('SUPPORT');
      return { path: `/support/tickets/${await fixture.ticket()}/assignee`, body: { adminId } };
    },
    { bad: { body: { adminId: newId() }, status: 400 } },
  ),
};

const orderAndProductWrites: Readonly<Record<string, AdminWrite>> = {
  'POST /orders/:id/resolve': changing(
    'order.resolve',
    async (fixture) => ({
      path: `/orders/${await fixture.reviewedBuy()}/resolve`,
      body: { resolution: 'KEEP', note: 'the bank paid again' },
    }),
    { again: 409, bad: { body: { resolution: 'REFUNDED' }, status: 400 } },
  ),
  'POST /orders/:id/reconcile': changing(
    'order.reconcile',
    async (fixture) => ({ path: `/orders/${await fixture.reviewedBuy()}/reconcile` }),
    { status: 501, parts: 'none' },
  ),
  'POST /orders/:id/refund': exempt(
    async (fixture) => ({ path: `/orders/${await fixture.reviewedBuy()}/refund` }),
    { status: 501 },
  ),
  'POST /payouts/:id/approve': changing(
    'payout.approve',
    async (fixture) => ({ path: `/payouts/${await fixture.payout('PENDING')}/approve` }),
    { again: 409 },
  ),
  'POST /payouts/:id/retry': changing(
    'payout.retry',
    async (fixture) => ({ path: `/payouts/${await fixture.payout('FAILED')}/retry`, body: {} }),
    { again: 409 },
  ),
  // The history of the order has its row (contract: operators > Audit).
  'PATCH /product-orders/:id/status': exempt(
    async (fixture) => ({
      path: `/product-orders/${await fixture.productOrder()}/status`,
      body: { status: 'CONFIRMED' },
    }),
    { again: 409, bad: { body: { status: 'LOST' }, status: 400 } },
  ),
  'PUT /product-orders/:id/shipment': changing(
    'product_order.shipment',
    async (fixture) => ({
      path: `/product-orders/${await fixture.productOrder('PACKED')}/shipment`,
      body: { carrier: 'Blue Dart', consignmentNumber: 'BD-7729-0041' },
    }),
    { bad: { body: {}, status: 400 } },
  ),
  'POST /product-orders/:id/cash': changing(
    'product_order.cash',
    async (fixture) => ({
      path: `/product-orders/${await fixture.productOrder('DELIVERED')}/cash`,
      body: { amountPaise: 100, reference: 'remittance 4471' },
    }),
    { bad: { body: {}, status: 400 } },
  ),
  'POST /products': changing('product.create', () => ({ path: '/products', body: product }), {
    status: 201,
    parts: 'after',
    bad: { body: {}, status: 400 },
  }),
  'PATCH /products/:id': changing(
    'product.update',
    async (fixture) => ({
      path: `/products/${await fixture.product()}`,
      body: { pricePaise: 99_000 },
    }),
    { bad: { body: {}, status: 400 } },
  ),
  'DELETE /products/:id': changing(
    'product.delete',
    async (fixture) => ({
      path: `/products/${await fixture.product()}`,
    }),
    { status: 204 },
  ),
  'POST /products/:id/image': changing(
    'product.image.replace',
    async (fixture) => ({
      path: `/products/${await fixture.product()}/image`,
      body: { dataBase64: png },
    }),
    { bad: { body: { dataBase64: 'none' }, status: 400 } },
  ),
};

/** Every write route of the admin API, by method and path. */
export const adminWrites: Readonly<Record<string, AdminWrite>> = {
  ...peopleWrites,
  ...credentialWrites,
  ...approvalWrites,
  ...orderAndProductWrites,
  ...configurationWrites,
  ...incidentWrites,
};
