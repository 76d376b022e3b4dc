import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Access, Route } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { createAuditAdminRoutes } from './audit.admin.routes.ts';
import { insertAuditEntry } from './audit.store.ts';
import type { AuditEntry } from './audit.types.ts';

export interface Auditor {
  /** Writes an audit row, in the transaction of the change it describes: neither stands alone. */
  record(db: Db, entry: AuditEntry): Promise<void>;
}

export const createAuditor = (options: { clock: Clock; random: Random }): Auditor => ({
  record: (db, entry) => insertAuditEntry(db, options.random.uuid(), options.clock.now(), entry),
});

/** Wires the operators' view of the log. */
export const createAudit = (options: {
  db: Db;
  access: Access<unknown>;
}): { adminRoutes: Route[] } => ({
  adminRoutes: createAuditAdminRoutes(options.db, options.access),
});
