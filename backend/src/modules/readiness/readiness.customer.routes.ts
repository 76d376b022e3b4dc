import { defineRoute, ok, PUBLIC, type Route } from '../../platform/http/index.ts';
import type { Gates } from './gates.ts';
import { publicReadinessView } from './readiness.schemas.ts';

const stateOf = (isOpen: boolean) => (isOpen ? 'OPEN' : 'CLOSED');

interface GateStatesDeps {
  readonly gates: Gates;
  readonly hasUsableGateway: () => Promise<boolean>;
}

/** Reads the states of the gates for customers, without the reasons. */
export const readGateStates = async (deps: GateStatesDeps) => {
  const [isBuyOpen, isSellOpen, hasGateway] = await Promise.all([
    deps.gates.isBuyOpen(),
    deps.gates.isSellOpen(),
    deps.hasUsableGateway(),
  ]);
  return {
    checkout_available: isBuyOpen && hasGateway,
    buy: stateOf(isBuyOpen),
    sell: stateOf(isSellOpen),
    sip: stateOf(isBuyOpen),
  } as const;
};

/** Declares `GET /public/payment-readiness`. */
export const createReadinessCustomerRoutes = (deps: GateStatesDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/public/payment-readiness',
    summary: 'Availability of buying, selling and plans',
    tags: ['public'],
    access: PUBLIC,
    responses: { 200: publicReadinessView },
    handler: async () => ok(await readGateStates(deps)),
  }),
];
