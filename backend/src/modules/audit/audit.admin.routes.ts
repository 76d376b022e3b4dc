import { z } from 'zod';
import {
  moment,
  pageOf,
  pageQuery,
  defineRoute,
  ok,
  type Access,
  type Route,
} from '../../platform/http/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { type SealedParts, openParts, type AuditVault } from './audit-sealing.ts';
import { type AuditRow, listAuditEntries } from './audit.store.ts';

const auditQuery = pageQuery.extend({
  action: z.string().min(1).max(100).optional(),
  actorId: z.uuid().toLowerCase().optional(),
  targetType: z.string().min(1).max(50).optional(),
  targetId: z.string().min(1).max(100).optional(),
  outcome: z.enum(['DONE', 'REFUSED']).optional(),
  requestId: z.string().min(1).max(128).optional(),
  ip: z.union([z.ipv4(), z.ipv6()]).optional(),
  from: moment.optional(),
  to: moment.optional(),
  format: z
    .enum(['json'])
    .default('json')
    .describe('The format of the response. Only JSON is available.'),
});

const auditEntryView = z.object({
  id: z.uuid(),
  action: z.string(),
  outcome: z.enum(['DONE', 'REFUSED']),
  actor: z.object({
    id: z.uuid().nullable(),
    email: z.string().nullable(),
    role: z.string().nullable(),
  }),
  target: z.object({ type: z.string(), id: z.string() }).optional(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  requestId: z.string().nullable(),
  ip: z.string().nullable(),
  at: z.iso.datetime(),
});
auditEntryView.register(z.globalRegistry, {
  id: 'AuditEntry',
  description: 'An entry of the audit log: an action that was taken or refused.',
  examples: [
    {
      id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      action: 'product.update',
      outcome: 'DONE',
      actor: {
        id: '0199d8f2-4c8a-7b2c-8a33-1dfe4d8e0f98',
        email: 'operator@example.test',
        role: 'ADMIN',
      },
      target: { type: 'product', id: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01' },
      before: { inStock: false },
      after: { inStock: true },
      requestId: '0199d8f2-8c2e-7f60-9e77-5b3c8d9eaf12',
      ip: '203.0.113.7',
      at: '2026-01-15T09:30:00.000Z',
    },
  ],
});

const auditPage = pageOf(auditEntryView);

/** Merges the clear and the sealed fields of a part. Returns no part if there are neither. */
const partOf = (name: 'before' | 'after', clear: unknown, sealed: object | undefined) =>
  clear === null && sealed === undefined ? {} : { [name]: { ...Object(clear), ...sealed } };

/** Presents a row with its opened parts. */
const presentAuditEntry = (row: AuditRow, sealed: SealedParts = {}) => ({
  id: row.id,
  action: row.action,
  outcome: row.outcome,
  actor: { id: row.actorId, email: row.actorEmail, role: row.actorRole },
  ...(row.targetType !== null &&
    row.targetId !== null && { target: { type: row.targetType, id: row.targetId } }),
  ...partOf('before', row.before, sealed.before),
  ...partOf('after', row.after, sealed.after),
  requestId: row.requestId,
  ip: row.ip,
  at: row.at.toISOString(),
});

/** Declares a view of the log at `path`. It shows the whole log, or the accounting API's part. */
export const createAuditAdminRoutes = (
  { db, vault }: { readonly db: Db; readonly vault: AuditVault },
  view: {
    readonly path: string;
    readonly access: Access<unknown>;
    readonly accounting?: boolean;
  },
): Route[] => [
  defineRoute({
    method: 'GET',
    path: view.path,
    summary: 'The audit log, newest first',
    tags: ['audit'],
    access: view.access,
    query: auditQuery,
    responses: { 200: auditPage },
    handler: async ({ query }) => {
      const { page, limit, format: _onlyOne, ...filter } = query;
      const { rows, total } = await listAuditEntries(
        db,
        { ...filter, accounting: view.accounting },
        { page, limit },
      );
      const partsById = await openParts(vault, db, rows);
      const items = rows.map((row) => presentAuditEntry(row, partsById.get(row.id)));
      return ok({ items, total, page, limit });
    },
  }),
];
