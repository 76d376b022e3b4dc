import { z } from 'zod';
import type { Vault } from '../../platform/crypto/index.ts';
import { exampleOf, pageOf, pageQuery, plainText } from '../../platform/http/index.ts';
import { openContent } from './approval-sealing.ts';
import { approvalStatuses, listableActions, type ApprovalRequest } from './approvals.types.ts';

const personView = z.object({ id: z.uuid(), email: z.string() });
personView.register(z.globalRegistry, {
  id: 'ApprovalPerson',
  description: 'The person who made or decided a request.',
  examples: [{ id: '0199d8f2-4c8a-7b2c-8a33-1dfe4d8e0f98', email: 'operator@example.test' }],
});

export const approvalView = z.object({
  approvalId: z.uuid(),
  action: z.enum(listableActions),
  status: z.enum(approvalStatuses),
  request: z.string().describe('The method and path of the request, such as `POST /price/config`.'),
  target: z.string().describe('The object of the request, such as the id of an order.'),
  params: z.unknown(),
  body: z.unknown(),
  before: z.unknown().describe('The value before the change, as it was when it was requested.'),
  after: z.unknown().describe('The requested value.'),
  requestedBy: personView,
  requestedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  decidedBy: personView.nullable(),
  decidedAt: z.iso.datetime().nullable(),
  reason: z.string().nullable(),
});
approvalView.register(z.globalRegistry, {
  id: 'Approval',
  description:
    'An action that needs the approval of a second person, with the decision once it is made.',
  examples: [
    {
      approvalId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      action: 'spreads',
      status: 'PENDING',
      request: 'POST /price/config',
      target: 'spreads',
      params: {},
      body: { buySpreadBps: 120, sellSpreadBps: 80 },
      before: { buySpreadBps: 0, sellSpreadBps: 0 },
      after: { buySpreadBps: 120, sellSpreadBps: 80 },
      requestedBy: exampleOf(personView),
      requestedAt: '2026-01-15T09:30:00.000Z',
      expiresAt: '2026-01-18T09:30:00.000Z',
      decidedBy: null,
      decidedAt: null,
      reason: null,
    },
  ],
});

export const approvalsPage = pageOf(approvalView);

export const approvalsQuery = pageQuery.extend({
  status: z.enum(approvalStatuses).optional(),
  action: z.enum(listableActions).optional(),
});

export const rejectionBody = z.object({ reason: plainText(500) });
rejectionBody.register(z.globalRegistry, {
  id: 'Rejection',
  examples: [{ reason: 'The spread was agreed for next week.' }],
});

/** Presents a request. It is shown as EXPIRED from its expiry on, even before the sweep ends it. */
export const presentApproval = (
  vault: Pick<Vault, 'service'>,
  request: ApprovalRequest,
  now: Date,
) => {
  const { params, body, before, after, reason = null } = openContent(vault, request);
  const { decidedBy, decidedByEmail, status, expiresAt } = request;
  return {
    approvalId: request.id,
    action: request.action,
    status: status === 'PENDING' && expiresAt <= now ? ('EXPIRED' as const) : status,
    request: `${request.method} ${request.path}`,
    target: request.target,
    params,
    body,
    before,
    after,
    requestedBy: { id: request.requestedBy, email: request.requestedByEmail },
    requestedAt: request.requestedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    decidedBy:
      decidedBy === null || decidedByEmail === null
        ? null
        : { id: decidedBy, email: decidedByEmail },
    decidedAt: request.decidedAt?.toISOString() ?? null,
    reason,
  };
};
