import type { AuditBench } from './audit-bench.ts';

/** A request that a route accepts. */
interface WriteRequest {
  readonly path: string;
  readonly body?: unknown;
}

/** One write route of the admin API, and the audit rows that it leaves. */
export interface AdminWrite {
  /** Makes what the request changes. */
  readonly prepare: (bench: AuditBench) => Promise<WriteRequest> | WriteRequest;
  readonly status: number;
  /** Actions of its audit rows, in order; none for one that the contract exempts. */
  readonly actions: readonly string[];
  /** `both` for a change of a state, `after` for a new one, `none` where nothing changes. */
  readonly parts: 'both' | 'after' | 'none';
  /** Status of the same request sent again, where that is refused. */
  readonly again?: number;
  /** The same request with something wrong in it. */
  readonly bad?: { readonly body: unknown; readonly status: number };
}

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

const limits = {
  minBuyPaise: 1000,
  maxBuyPaise: 20_000_000,
  dailyBuyPaise: 50_000_000,
  minSellPaise: 1000,
  maxSellPaise: 50_000_000,
  minSipPaise: 1000,
  maxSipPaise: 10_000_000,
  deliveryFeePaise: 9900,
  freeDeliveryFromPaise: 5_000_000,
};

const password = 'correct horse';
const reason = { reason: 'the picture is blurred' };

/** A write of one audit row that changes a state. */
const changing = (
  action: string,
  prepare: AdminWrite['prepare'],
  more: Partial<AdminWrite> = {},
): AdminWrite => ({ prepare, status: 200, actions: [action], parts: 'both', ...more });

/** A write that the contract exempts from audit rows. */
const exempt = (prepare: AdminWrite['prepare'], more: Partial<AdminWrite>): AdminWrite => ({
  prepare,
  status: 200,
  actions: [],
  parts: 'none',
  ...more,
});

const ofPeople: Readonly<Record<string, AdminWrite>> = {
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
    async (bench) => ({ path: `/kyc/${await bench.submittedKyc()}/approve` }),
    { again: 409 },
  ),
  'POST /kyc/:id/reject': changing(
    'kyc.reject',
    async (bench) => ({ path: `/kyc/${await bench.submittedKyc()}/reject`, body: reason }),
    { again: 409, bad: { body: {}, status: 400 } },
  ),
  'POST /kyc/:id/request-resubmit': changing(
    'kyc.request-resubmit',
    async (bench) => ({
      path: `/kyc/${await bench.submittedKyc()}/request-resubmit`,
      body: reason,
    }),
    { again: 409, bad: { body: {}, status: 400 } },
  ),
  'PATCH /support/tickets/:reference': changing(
    'support.tickets.update',
    async (bench) => ({
      path: `/support/tickets/${await bench.ticket()}`,
      body: { status: 'IN_PROGRESS', note: 'asked the bank' },
    }),
    { bad: { body: { status: 'LOST' }, status: 400 } },
  ),
};

const ofOrders: Readonly<Record<string, AdminWrite>> = {
  'POST /orders/:id/resolve': changing(
    'order.resolve',
    async (bench) => ({
      path: `/orders/${await bench.reviewedBuy()}/resolve`,
      body: { resolution: 'KEEP', note: 'the bank paid again' },
    }),
    { again: 409, bad: { body: { resolution: 'REFUNDED' }, status: 400 } },
  ),
  'POST /orders/:id/reconcile': changing(
    'order.reconcile',
    async (bench) => ({ path: `/orders/${await bench.reviewedBuy()}/reconcile` }),
    { status: 501, parts: 'none' },
  ),
  'POST /orders/:id/refund': exempt(
    async (bench) => ({ path: `/orders/${await bench.reviewedBuy()}/refund` }),
    { status: 501 },
  ),
  'POST /payouts/:id/approve': changing(
    'payout.approve',
    async (bench) => ({ path: `/payouts/${await bench.payout('PENDING')}/approve` }),
    { again: 409 },
  ),
  'POST /payouts/:id/retry': changing(
    'payout.retry',
    async (bench) => ({ path: `/payouts/${await bench.payout('FAILED')}/retry`, body: {} }),
    { again: 409 },
  ),
  // The history of the order has its row (contract: operators > Audit).
  'PATCH /product-orders/:id/status': exempt(
    async (bench) => ({
      path: `/product-orders/${await bench.productOrder()}/status`,
      body: { status: 'CONFIRMED' },
    }),
    { again: 409, bad: { body: { status: 'LOST' }, status: 400 } },
  ),
  'POST /products': changing('product.create', () => ({ path: '/products', body: product }), {
    status: 201,
    parts: 'after',
    bad: { body: {}, status: 400 },
  }),
  'PATCH /products/:id': changing(
    'product.update',
    async (bench) => ({ path: `/products/${await bench.product()}`, body: { pricePaise: 99_000 } }),
    { bad: { body: {}, status: 400 } },
  ),
  'DELETE /products/:id': changing(
    'product.delete',
    async (bench) => ({
      path: `/products/${await bench.product()}`,
    }),
    { status: 204 },
  ),
  'POST /products/:id/image': changing(
    'product.image.replace',
    async (bench) => ({
      path: `/products/${await bench.product()}/image`,
      body: { dataBase64: png },
    }),
    { bad: { body: { dataBase64: 'none' }, status: 400 } },
  ),
};

const ofTheHouse: Readonly<Record<string, AdminWrite>> = {
  'POST /price/config': changing(
    'price.config.set',
    () => ({ path: '/price/config', body: { buySpreadBps: 120, sellSpreadBps: 80 } }),
    { bad: { body: {}, status: 400 } },
  ),
  'POST /price/override': changing(
    'price.override',
    () => ({
      path: '/price/override',
      body: { buyPaise: 700_000, sellPaise: 690_000, spotPaise: 695_000, ...reason },
    }),
    { status: 501, parts: 'after', bad: { body: {}, status: 400 } },
  ),
  'PUT /config/limits': changing(
    'config.limits.replace',
    () => ({ path: '/config/limits', body: limits }),
    { bad: { body: {}, status: 400 } },
  ),
  'PUT /config/feature-flags': changing(
    'config.feature-flags.put',
    () => ({ path: '/config/feature-flags', body: { key: 'new-checkout', enabled: true } }),
    { parts: 'after', bad: { body: {}, status: 400 } },
  ),
  'PUT /config/banners/:id': changing(
    'config.banners.put',
    () => ({ path: '/config/banners/diwali-2026', body: { title: 'Diwali', active: true } }),
    { parts: 'after', bad: { body: {}, status: 400 } },
  ),
  'PATCH /payment-gateways/:code': changing(
    'payment_gateway.change',
    () => ({ path: '/payment-gateways/sandbox', body: { enabled: false } }),
    { bad: { body: {}, status: 400 } },
  ),
  'PUT /payment-gateways/default': changing(
    'payment_gateways.default.replace',
    () => ({ path: '/payment-gateways/default', body: { code: 'sandbox' } }),
    { bad: { body: {}, status: 400 } },
  ),
  'PUT /payment-gateways/priority': changing(
    'payment_gateways.priority.replace',
    () => ({ path: '/payment-gateways/priority', body: { codes: ['sandbox'] } }),
    { bad: { body: {}, status: 400 } },
  ),
  'PUT /payment-gateways/routes': changing(
    'payment_gateways.routes.replace',
    () => ({ path: '/payment-gateways/routes', body: { upi: 'sandbox' } }),
    { bad: { body: { upi: 'nobody' }, status: 400 } },
  ),
  'PUT /readiness/evidence/:item': changing(
    'readiness.evidence.put',
    () => ({
      path: '/readiness/evidence/legal_entity',
      body: { value: 'x', reference: 'x', verified: true },
    }),
    { parts: 'after', bad: { body: {}, status: 400 } },
  ),
  'PUT /legal/fields/:name': changing(
    'legal.fields.put',
    () => ({ path: '/legal/fields/entity.legalName', body: { value: 'Gold', verified: true } }),
    { parts: 'after', bad: { body: {}, status: 400 } },
  ),
  'POST /legal/policies': changing(
    'legal.policies.publish',
    () => ({
      path: '/legal/policies',
      body: { slug: 'terms', version: '1', effectiveFrom: '2026-12-01', body: 'Be fair.' },
    }),
    { status: 201, parts: 'after', again: 409, bad: { body: {}, status: 400 } },
  ),
  'POST /devops/deploy': {
    prepare: () => ({ path: '/devops/deploy', body: { target: 'website' } }),
    status: 202,
    actions: ['devops.deploy.trigger', 'devops.deploy.outcome'],
    parts: 'after',
    again: 429,
    bad: { body: { target: 'everything' }, status: 400 },
  },
};

/** Every write route of the admin API, by method and path. */
export const adminWrites: Readonly<Record<string, AdminWrite>> = {
  ...ofPeople,
  ...ofOrders,
  ...ofTheHouse,
};
