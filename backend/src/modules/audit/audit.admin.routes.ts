import type { Db } from '../../platform/db/index.ts';
import { defineRoute, ok, type Access, type Route } from '../../platform/http/index.ts';
import { openParts, type AuditVault } from './audit-sealing.ts';
import { auditPage, auditQuery, presentAuditEntry } from './audit.schemas.ts';
import { listAuditEntries } from './audit.store.ts';

/** Declares a view of the log at `path`: of all of it, or of the accounting API's part. */
export const createAuditRoutes = (
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
      const { page, limit, ...filter } = query;
      const { rows, total } = await listAuditEntries(
        db,
        { ...filter, accounting: view.accounting },
        { page, limit },
      );
      const opened = await openParts(vault, db, rows);
      const items = rows.map((row) => presentAuditEntry(row, opened.get(row.id)));
      return ok({ items, total, page, limit });
    },
  }),
];
