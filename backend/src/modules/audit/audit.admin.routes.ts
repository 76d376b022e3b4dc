import type { Db } from '../../platform/db/index.ts';
import { defineRoute, ok, type Access, type Route } from '../../platform/http/index.ts';
import { openParts, type AuditVault } from './audit-sealing.ts';
import { auditPage, auditQuery, presentAuditEntry } from './audit.schemas.ts';
import { listAuditEntries } from './audit.store.ts';

/** Declares `/audit` of the admin API. */
export const createAuditAdminRoutes = (
  { db, vault }: { readonly db: Db; readonly vault: AuditVault },
  access: Access<unknown>,
): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/audit',
    summary: 'The audit log, newest first',
    tags: ['audit'],
    access,
    query: auditQuery,
    responses: { 200: auditPage },
    handler: async ({ query }) => {
      const { page, limit, ...filter } = query;
      const { rows, total } = await listAuditEntries(db, filter, { page, limit });
      const opened = await openParts(vault, db, rows);
      const items = rows.map((row) => presentAuditEntry(row, opened.get(row.id)));
      return ok({ items, total, page, limit });
    },
  }),
];
