import { Prisma } from '../../generated/prisma/client.ts';
import { selectOne, sql, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import type { SealedColumns } from './audit-sealing.ts';
import type { AuditEntry } from './audit.types.ts';

interface AuditFilter {
  /** True for the accounting API's part: the rows of its users, and the changes of these users. */
  readonly accounting?: boolean | undefined;
  readonly action?: string | undefined;
  readonly actorId?: string | undefined;
  readonly targetType?: string | undefined;
  readonly targetId?: string | undefined;
  readonly outcome?: 'DONE' | 'REFUSED' | undefined;
  readonly requestId?: string | undefined;
  readonly ip?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

const jsonOrNull = (value: AuditEntry['before']) =>
  // The value is a plain JSON object. Prisma's own JSON type lacks only the readonly marks.
  value === undefined ? Prisma.DbNull : (value as Prisma.InputJsonObject);

const conditionOf = (filter: AuditFilter): Prisma.AuditLogWhereInput => ({
  // This is the condition of the partial index `audit_log_accounting_idx`.
  ...(filter.accounting === true && {
    OR: [{ actorApi: 'accounting' }, { targetType: 'portal_user' }],
  }),
  ...(filter.action !== undefined && { action: filter.action }),
  ...(filter.actorId !== undefined && { actorId: filter.actorId }),
  ...(filter.targetType !== undefined && { targetType: filter.targetType }),
  ...(filter.targetId !== undefined && { targetId: filter.targetId }),
  ...(filter.outcome !== undefined && { outcome: filter.outcome }),
  ...(filter.requestId !== undefined && { requestId: filter.requestId }),
  ...(filter.ip !== undefined && { ip: filter.ip }),
  ...((filter.from !== undefined || filter.to !== undefined) && {
    at: {
      ...(filter.from !== undefined && { gte: filter.from }),
      ...(filter.to !== undefined && { lt: filter.to }),
    },
  }),
});

/* The rows of `audit_log` are inserted once and never changed. */

/** Writes an audit row. */
export const insertAuditEntry = async (
  db: Db,
  { id, at, ...sealed }: SealedColumns & { readonly id: string; readonly at: Date },
  entry: AuditEntry,
): Promise<void> => {
  await db.auditLog.create({
    data: {
      id,
      at,
      action: entry.action,
      outcome: entry.outcome ?? 'DONE',
      actorApi: entry.actor.api,
      actorId: entry.actor.id ?? null,
      actorEmail: entry.actor.email ?? null,
      actorRole: entry.actor.role ?? null,
      targetType: entry.target?.type ?? null,
      targetId: entry.target?.id ?? null,
      before: jsonOrNull(entry.before),
      after: jsonOrNull(entry.after),
      ...sealed,
      requestId: entry.requestId,
      ip: entry.ip ?? null,
    },
  });
};

/**
 * Returns a page of all rows by their numbers in the chain, newest first. The numbers have no gaps,
 * so every page costs the same, and the last number is the number of rows.
 */
const listByNumber = async (db: Db, page: Page) => {
  const head = await db.auditChain.findFirst({
    orderBy: { number: 'desc' },
    select: { number: true },
  });
  const total = Number(head?.number ?? 0n);
  const lastNumber = total - offsetOf(page);
  const links = await db.auditChain.findMany({
    where: { number: { gt: lastNumber - page.limit, lte: lastNumber } },
    orderBy: { number: 'desc' },
    select: { audit: true },
  });
  return { rows: links.map(({ audit }) => audit), total };
};

/**
 * Returns a page of the matching rows, newest first. It first finds the page's numbers, so that the
 * rows before the page are only read from an index.
 */
const listMatching = async (db: Db, where: Prisma.AuditLogWhereInput, page: Page) => {
  const [numbers, total] = await Promise.all([
    db.auditLog.findMany({
      where,
      orderBy: { seq: 'desc' },
      skip: offsetOf(page),
      take: page.limit,
      select: { seq: true },
    }),
    db.auditLog.count({ where }),
  ]);
  const rows = await db.auditLog.findMany({
    where: { seq: { in: numbers.map(({ seq }) => seq) } },
    orderBy: { seq: 'desc' },
  });
  return { rows, total };
};

/**
 * Returns a page of the matching rows, newest first, and the number of all of them. Without a filter
 * the order is that of the chain, and with a filter that of writing.
 */
export const listAuditEntries = (db: Db, filter: AuditFilter, page: Page) => {
  const where = conditionOf(filter);
  return Object.keys(where).length === 0 ? listByNumber(db, page) : listMatching(db, where, page);
};

export type AuditRow = Awaited<ReturnType<typeof listAuditEntries>>['rows'][number];

/**
 * Counts the rows that another service key than `keyId` sealed. They cannot be sealed again, since
 * no row is ever changed.
 */
export const countOutdatedRows = async (db: Db, keyId: string): Promise<number> => {
  const row = await selectOne<{ count: number }>(
    db,
    sql`
      SELECT count(*)::int AS count FROM audit_log
      WHERE sealed IS NOT NULL AND sealed_for_user_id IS NULL
        AND NOT starts_with(sealed, ${`v1.${keyId}.`})`,
  );
  return row?.count ?? 0;
};
