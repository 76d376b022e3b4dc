import { z } from 'zod';
import { selectOne, sql, type Db } from '../../platform/db/index.ts';
import {
  countSealedByOther,
  DataKeyDestroyedError,
  resealColumn,
  type SealedColumn,
  type Sealer,
  type Vault,
} from '../../platform/crypto/index.ts';
import { currentTraceparent } from '../../platform/observability/index.ts';
import type { EventNames, EventStatus, InboxSource } from './webhook-inbox.types.ts';

export interface NewEvent {
  readonly id: string;
  readonly source: InboxSource;
  readonly gateway: string;
  readonly eventId: string | undefined;
  readonly bodyHash: string;
  /** Undefined where the body can't be read. */
  readonly names: EventNames | undefined;
  readonly status: EventStatus;
  readonly sealedBody: string;
  readonly sealedForUserId: string | undefined;
  readonly purgeAfter: Date | undefined;
  readonly receivedAt: Date;
  /** Only of a PENDING event. */
  readonly failure?: { readonly error: string; readonly nextAttemptAt: Date };
}

export interface StoredEvent {
  readonly id: string;
  readonly gateway: string;
  readonly sealedBody: string | null;
  readonly sealedForUserId: string | null;
  readonly receivedAt: Date;
  readonly attempts: number;
  /** The trace of its delivery. */
  readonly traceparent: string | null;
}

/** States in which an event may still be applied. */
const unapplied: EventStatus[] = ['PENDING', 'UNMATCHED'];

/** Returns false for a repeat: this event id, body or dedupe key is in the inbox already. */
export const insertEvent = async (db: Db, event: NewEvent): Promise<boolean> => {
  const { names, failure, ...row } = event;
  const { count } = await db.webhookEvent.createMany({
    data: {
      ...row,
      eventId: row.eventId ?? null,
      sealedForUserId: row.sealedForUserId ?? null,
      purgeAfter: row.purgeAfter ?? null,
      eventType: names?.eventType ?? null,
      subject: names?.subject ?? null,
      gatewayPaymentId: names?.gatewayPaymentId ?? null,
      dedupeKey: names?.dedupeKey ?? null,
      attempts: failure === undefined ? 0 : 1,
      nextAttemptAt: failure?.nextAttemptAt ?? null,
      lastError: failure?.error ?? null,
      appliedAt: row.status === 'APPLIED' ? row.receivedAt : null,
      traceparent: currentTraceparent() ?? null,
    },
    skipDuplicates: true,
  });
  return count === 1;
};

/** Finds the row that has an event's id, where the inbox has its body under no id. */
export const findOtherBody = async (
  db: Db,
  { source, gateway, eventId, bodyHash }: Omit<NewEvent, 'status' | 'failure'>,
): Promise<string | undefined> => {
  if (eventId === undefined) return undefined;
  const rows = await db.webhookEvent.findMany({
    where: { source, gateway, OR: [{ eventId }, { bodyHash }] },
    select: { id: true, bodyHash: true },
  });
  return rows.some((row) => row.bodyHash === bodyHash) ? undefined : rows[0]?.id;
};

/** Corrects the status of an event that this transaction inserted. */
export const updateEventStatus = async (
  db: Db,
  id: string,
  status: EventStatus,
  at: Date,
): Promise<void> => {
  const appliedAt = status === 'APPLIED' ? at : null;
  await db.webhookEvent.update({ where: { id }, data: { status, appliedAt } });
};

/** Locks an event. Returns undefined when it is applied by now, or another process holds it. */
export const lockUnappliedEvent = (
  db: Db,
  source: InboxSource,
  id: string,
): Promise<StoredEvent | undefined> =>
  selectOne<StoredEvent>(
    db,
    sql`
      SELECT id, gateway, sealed_body AS "sealedBody", sealed_for_user_id AS "sealedForUserId",
        received_at AS "receivedAt", attempts, traceparent
      FROM webhook_event
      WHERE id = ${id}::uuid AND source = ${source} AND status IN ('PENDING', 'UNMATCHED')
      FOR UPDATE SKIP LOCKED`,
  );

/** Records what a retry of a locked event came to. Returns false when it was applied before. */
export const recordRetry = async (
  db: Db,
  id: string,
  status: EventStatus,
  at: Date,
): Promise<boolean> => {
  const { count } = await db.webhookEvent.updateMany({
    where: { id, status: { in: unapplied } },
    data: {
      status,
      appliedAt: status === 'APPLIED' ? at : null,
      nextAttemptAt: null,
      lastError: null,
      attempts: { increment: 1 },
    },
  });
  return count === 1;
};

/** Records a retry that failed, and when the next one is due. */
export const postponeEvent = async (
  db: Db,
  id: string,
  lastError: string,
  nextAttemptAt: Date,
): Promise<void> => {
  await db.webhookEvent.updateMany({
    where: { id, status: { in: unapplied } },
    data: { lastError, nextAttemptAt, attempts: { increment: 1 } },
  });
};

/**
 * Lists PENDING events that are due, the longest due first, so that none hides the others. One
 * whose next attempt lies beyond `longestWait` was postponed before the clock was set back, and is
 * due too.
 */
export const listDueEvents = async (
  db: Db,
  source: InboxSource,
  due: { readonly now: Date; readonly longestWait: Date; readonly limit: number },
): Promise<string[]> => {
  const rows = await db.webhookEvent.findMany({
    where: {
      source,
      status: 'PENDING',
      OR: [
        { nextAttemptAt: null },
        { nextAttemptAt: { lte: due.now } },
        { nextAttemptAt: { gt: due.longestWait } },
      ],
    },
    orderBy: [{ nextAttemptAt: { sort: 'asc', nulls: 'first' } }, { receivedAt: 'asc' }],
    take: due.limit,
    select: { id: true },
  });
  return rows.map(({ id }) => id);
};

/** Clears sealed bodies whose time is over and that no retry needs. */
export const clearExpiredBodies = async (
  db: Db,
  source: InboxSource,
  now: Date,
  limit: number,
): Promise<void> => {
  const where = {
    source,
    sealedBody: { not: null },
    status: { not: 'PENDING' },
    purgeAfter: { lt: now },
  };
  const rows = await db.webhookEvent.findMany({ where, take: limit, select: { id: true } });
  const ids = rows.map(({ id }) => id);
  await db.webhookEvent.updateMany({
    where: { ...where, id: { in: ids } },
    data: { sealedBody: null },
  });
};

/**
 * Holds the raw body as it came and how its adapter read it then, so that an event can be applied
 * later without the signature and the secret of the day.
 */
const contentSchema = z.object({ rawBase64: z.string(), event: z.unknown() });

const contextOf = (row: string) => ({
  purpose: 'webhook-body',
  column: 'webhook_event.sealed_body',
  row,
});

interface SealedBody {
  readonly sealedBody: string;
  /** Undefined: sealed with the service's key, and to be purged. */
  readonly sealedForUserId: string | undefined;
}

/** Returns undefined where there is no user, or where the user's key is destroyed. */
const userSealer = async (
  vault: Vault,
  db: Db,
  userId: string | undefined,
): Promise<Sealer | undefined> => {
  if (userId === undefined) return undefined;
  try {
    return await vault.forUser(db, userId);
  } catch (error) {
    if (error instanceof DataKeyDestroyedError) return undefined;
    throw error;
  }
};

/**
 * Seals an event for the inbox row `id`: with its customer's key where one is known. `event` is
 * its serialized form, null where the body can't be read.
 */
export const sealBody = async (
  vault: Vault,
  db: Db,
  entry: { id: string; userId: string | undefined; rawBody: Buffer; event: object | null },
): Promise<SealedBody> => {
  const sealer = await userSealer(vault, db, entry.userId);
  const content = JSON.stringify({
    rawBase64: entry.rawBody.toString('base64'),
    event: entry.event,
  });
  return {
    sealedBody: (sealer ?? vault.service).seal(content, contextOf(entry.id)),
    sealedForUserId: sealer === undefined ? undefined : entry.userId,
  };
};

/**
 * Opens an inbox row: the raw body, and the event's serialized form (null: it was unreadable).
 * @throws SealError, DataKeyDestroyedError
 */
export const openBody = async (
  vault: Vault,
  db: Db,
  row: { id: string; sealedBody: string; sealedForUserId: string | null },
): Promise<{ readonly rawBody: Buffer; readonly event: unknown }> => {
  const { id, sealedBody, sealedForUserId } = row;
  const sealer =
    sealedForUserId === null ? vault.service : await vault.forUser(db, sealedForUserId);
  const content: unknown = JSON.parse(sealer.open(sealedBody, contextOf(id)));
  const { rawBase64, event } = contentSchema.parse(content);
  return { rawBody: Buffer.from(rawBase64, 'base64'), event };
};

/** The bodies that the service key sealed: they have a time to be purged. */
const bodies: SealedColumn = {
  table: 'webhook_event',
  column: 'sealed_body',
  contextOf,
  where: sql`sealed_body IS NOT NULL AND purge_after IS NOT NULL AND sealed_for_user_id IS NULL`,
};

/** Seals bodies of unknown customers again, while events arrive and are applied: see `resealColumn`. */
export const resealBodies = (
  deps: Parameters<typeof resealColumn>[0],
  signal: AbortSignal,
): Promise<number> => resealColumn(deps, bodies, signal);

/** Counts bodies that another service key than the one of id `keyId` sealed. */
export const countOutdatedBodies = (db: Db, keyId: string): Promise<number> =>
  countSealedByOther(db, bodies, keyId);
