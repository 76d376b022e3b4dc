import { Prisma } from '../../generated/prisma/client.ts';
import { selectOne, sql, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import type { SealedColumns } from './audit-sealing.ts';
import type { AuditEntry } from './audit.types.ts';

interface AuditFilter {
  /** True for the accounting API's part: its own rows, and the changes of its users. */
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
  // A plain JSON object. Prisma's own JSON type only lacks the readonly marks.
  value === undefined ? Prisma.DbNull : (value as Prisma.InputJsonObject);

const conditionOf = (filter: AuditFilter): Prisma.AuditLogWhereInput => ({
  // As the partial index `audit_log_accounting_idx` has it.
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

/* The rows of `audit_log`: inserted once, never changed. */

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
 * Returns a page of all rows by their numbers in the chain, which has no gaps: a far page costs
 * what the first one does, and the number of rows is that of the last one.
 */
const listByNumber = async (db: Db, page: Page) => {
  const head = await db.auditChain.findFirst({
    orderBy: { number: 'desc' },
    select: { number: true },
  });
  const total = Number(head?.number ?? 0n);
  const last = total - offsetOf(page);
  const links = await db.auditChain.findMany({
    where: { number: { gt: last - page.limit, lte: last } },
    orderBy: { number: 'desc' },
    select: { audit: true },
  });
  return { rows: links.map(({ audit }) => audit), total };
};

/** Returns a page of the matching rows: what is passed over is read from an index alone. */
const listMatching = async (db: Db, where: Prisma.AuditLogWhereInput, page: Page) => {
  const [places, total] = await Promise.all([
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
    where: { seq: { in: places.map(({ seq }) => seq) } },
    orderBy: { seq: 'desc' },
  });
  return { rows, total };
};

/**
 * Returns a page and the number of matching rows: newest first, in the order of the chain, with a
 * filter in the order of writing.
 */
export const listAuditEntries = (db: Db, filter: AuditFilter, page: Page) => {
  const where = conditionOf(filter);
  return Object.keys(where).length === 0 ? listByNumber(db, page) : listMatching(db, where, page);
};

export type AuditRow = Awaited<ReturnType<typeof listAuditEntries>>['rows'][number];

/**
 * Counts rows that another service key than the one of id `keyId` sealed. They can't be sealed
 * again, since no row is ever changed.
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
