import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  defineRoute,
  offsetOf,
  ok,
  pageQuery,
  PUBLIC,
  type Route,
} from '../../platform/http/index.ts';
import {
  isKnownPolicy,
  legalSections,
  listPoliciesInForce,
  readFacts,
  type LegalSection,
} from './legal.read-model.ts';
import {
  factsView,
  policyPage,
  policyView,
  presentPolicy,
  presentSummary,
  slugParams,
} from './legal.schemas.ts';

const summaries: Readonly<Record<LegalSection, string>> = {
  entity: 'The legal entity behind the service',
  provider: 'The provider of the gold',
  pricing: 'The pricing of gold',
};

/**
 * Declares `/legal` of the customer API. The routes are public and return only verified facts and policies
 * in force (contract: customers > Legal content).
 */
export const createLegalCustomerRoutes = (deps: {
  readonly db: Db;
  readonly clock: Clock;
}): Route[] => {
  const { db, clock } = deps;
  const shared = { tags: ['legal'], access: PUBLIC };
  return [
    ...legalSections.map((section) =>
      defineRoute({
        method: 'GET',
        path: `/legal/${section}`,
        summary: summaries[section],
        responses: { 200: factsView },
        ...shared,
        handler: async () => ok(await readFacts(db, section)),
      }),
    ),
    defineRoute({
      method: 'GET',
      path: '/legal/policies',
      summary: 'The policies in force, by slug',
      query: pageQuery,
      responses: { 200: policyPage },
      ...shared,
      handler: async ({ query }) => {
        const policies = await listPoliciesInForce(db, clock.now());
        const offset = offsetOf(query);
        const items = policies.slice(offset, offset + query.limit).map(presentSummary);
        return ok({ items, total: policies.length, ...query });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/legal/policies/:slug',
      summary: 'One policy, with the version in force if there is one',
      params: slugParams,
      responses: { 200: policyView },
      ...shared,
      handler: async ({ params: { slug } }) => {
        const policies = await listPoliciesInForce(db, clock.now());
        const policy = policies.find((each) => each.slug === slug);
        if (policy === undefined && !(await isKnownPolicy(db, slug))) {
          throw new AppError('NOT_FOUND');
        }
        return ok(presentPolicy(slug, policy));
      },
    }),
  ];
};
