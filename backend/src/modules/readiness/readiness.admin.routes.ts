import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess } from '../admins/index.ts';
import { putEvidence, type PutEvidenceDeps } from './put-evidence.ts';
import {
  evidenceBody,
  evidenceParams,
  evidenceView,
  presentEvidence,
  presentItem,
  reportView,
} from './readiness.schemas.ts';
import { isBlocked } from './readiness-report.ts';
import type { ReadinessItem } from './readiness.types.ts';

const readers = adminAccess('SUPER_ADMIN', 'ADMIN');
const tags = ['readiness'];

/** Declares the report and its evidence under `/readiness` of the admin API. */
export const createReadinessAdminRoutes = (
  options: PutEvidenceDeps & { readonly report: () => Promise<ReadinessItem[]> },
): Route[] => {
  const reply = async (isShown: (item: ReadinessItem) => boolean) => {
    const items = await options.report();
    return ok({ ready: !items.some(isBlocked), items: items.filter(isShown).map(presentItem) });
  };
  return [
    defineRoute({
      method: 'GET',
      path: '/readiness',
      summary: 'The readiness of the service to accept money, item by item',
      tags,
      access: readers,
      responses: { 200: reportView },
      handler: async () => reply(() => true),
    }),
    defineRoute({
      method: 'GET',
      path: '/readiness/blocking',
      summary: 'Items that fail and block the service from accepting money',
      tags,
      access: readers,
      responses: { 200: reportView },
      handler: async () => reply(isBlocked),
    }),
    defineRoute({
      method: 'PUT',
      path: '/readiness/evidence/:item',
      summary: 'Replace the evidence of an item',
      tags,
      access: adminAccess('SUPER_ADMIN'),
      params: evidenceParams,
      body: evidenceBody,
      responses: { 200: evidenceView },
      handler: async ({ params, body, principal, context }) => {
        const change = { item: params.item, body };
        return ok(presentEvidence(await putEvidence(options, change, { principal, context })));
      },
    }),
  ];
};
