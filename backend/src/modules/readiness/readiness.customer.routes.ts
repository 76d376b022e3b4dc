import { defineRoute, ok, PUBLIC, type Route } from '../../platform/http/index.ts';
import type { Gates } from './gates.ts';
import { publicReadinessView } from './readiness.schemas.ts';

const stateOf = (isOpen: boolean) => (isOpen ? 'OPEN' : 'CLOSED');

/** Declares `GET /public/payment-readiness`: states only, never reasons. */
export const createReadinessCustomerRoutes = (options: {
  readonly gates: Gates;
  readonly hasUsableGateway: () => Promise<boolean>;
}): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/public/payment-readiness',
    summary: 'Availability of buying, selling and plans',
    tags: ['public'],
    access: PUBLIC,
    responses: { 200: publicReadinessView },
    handler: async () => {
      const [isBuyOpen, isSellOpen, hasGateway] = await Promise.all([
        options.gates.isBuyOpen(),
        options.gates.isSellOpen(),
        options.hasUsableGateway(),
      ]);
      return ok({
        checkout_available: isBuyOpen && hasGateway,
        buy: stateOf(isBuyOpen),
        sell: stateOf(isSellOpen),
        sip: stateOf(isBuyOpen),
      });
    },
  }),
];
