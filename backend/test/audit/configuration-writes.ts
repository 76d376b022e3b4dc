import { changing, reason, type AdminWrite } from './admin-write.ts';

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
  mandateMaxPaise: 1_400_000,
  maxOpenDeliveryPaise: 90_000_000,
};

/** Writes of prices, settings, gateways, evidence, legal content and deployments. */
export const configurationWrites: Readonly<Record<string, AdminWrite>> = {
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
      body: { slug: 'terms', version: '1', effectiveFrom: '2099-12-01', body: 'Be fair.' },
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
