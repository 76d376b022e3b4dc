import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess, adminActor } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import {
  evidenceBody,
  evidenceParams,
  evidenceView,
  presentEvidence,
  presentItem,
  reportView,
} from './readiness.schemas.ts';
import { isBlocked } from './readiness.service.ts';
import { createReadinessStore } from './readiness.store.ts';
import type { ReadinessItem } from './readiness.types.ts';

const readers = adminAccess('SUPER_ADMIN', 'ADMIN');
const tags = ['readiness'];

/** The readiness report and its evidence. */
export const createReadinessAdminRoutes = (options: {
  readonly report: () => Promise<ReadinessItem[]>;
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
  readonly clock: Clock;
}): Route[] => {
  const answer = async (isShown: (item: ReadinessItem) => boolean) => {
    const items = await options.report();
    return ok({ ready: !items.some(isBlocked), items: items.filter(isShown).map(presentItem) });
  };
  return [
    defineRoute({
      method: 'GET',
      path: '/readiness',
      summary: 'Whether the service may take money, item by item',
      tags,
      access: readers,
      responses: { 200: reportView },
      handler: async () => answer(() => true),
    }),
    defineRoute({
      method: 'GET',
      path: '/readiness/blocking',
      summary: 'The blocking items that do not pass',
      tags,
      access: readers,
      responses: { 200: reportView },
      handler: async () => answer(isBlocked),
    }),
    defineRoute({
      method: 'PUT',
      path: '/readiness/evidence/:item',
      summary: 'Bring forward the evidence of an item',
      tags,
      access: adminAccess('SUPER_ADMIN'),
      params: evidenceParams,
      body: evidenceBody,
      responses: { 200: evidenceView },
      handler: async ({ params, body, principal, context }) => {
        const updatedAt = options.clock.now();
        await options.inTransaction(async (db) => {
          const store = createReadinessStore(db);
          await store.lock(params.item);
          const before = await store.find(params.item);
          await store.put(params.item, { ...body, updatedAt, updatedBy: principal.adminId });
          await options.audit.record(db, {
            action: 'readiness.evidence.put',
            ...adminActor(principal, context),
            target: { type: 'readiness_evidence', id: params.item },
            ...(before !== undefined && { before: presentEvidence(before) }),
            after: body,
          });
        });
        return ok(presentEvidence({ ...body, updatedAt }));
      },
    }),
  ];
};
