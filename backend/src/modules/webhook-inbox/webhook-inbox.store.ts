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
  /** The names of the event, or undefined if its body can't be read. */
  readonly names: EventNames | undefined;
  readonly status: EventStatus;
  readonly sealedBody: string;
  readonly sealedForUserId: string | undefined;
  readonly purgeAfter: Date | undefined;
  readonly receivedAt: Date;
  /** The failure of a PENDING event. Absent for all other events. */
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

/** The states in which an event may still be applied. */
const unappliedStatuses: EventStatus[] = ['PENDING', 'UNMATCHED'];

/** Inserts an event. Returns false if the inbox already has its id, its body or its dedupe key. */
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

/**
 * Finds the row that has an event's id with a different body. Returns undefined if the inbox has
 * this body, under any id.
 */
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

/** Updates the status of an event that this transaction has inserted. */
export const updateEventStatus = async (
  db: Db,
  id: string,
  status: EventStatus,
  at: Date,
): Promise<void> => {
  const appliedAt = status === 'APPLIED' ? at : null;
  await db.webhookEvent.update({ where: { id }, data: { status, appliedAt } });
};

/** Locks an event. Returns undefined if it is already applied or another process has locked it. */
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

/** Records the new status of a retried event. Returns false if it was already applied. */
export const recordRetry = async (
  db: Db,
  id: string,
  status: EventStatus,
  at: Date,
): Promise<boolean> => {
  const { count } = await db.webhookEvent.updateMany({
    where: { id, status: { in: unappliedStatuses } },
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

/** Records a failed retry, and the time of the next retry. */
export const postponeEvent = async (
  db: Db,
  id: string,
  lastError: string,
  nextAttemptAt: Date,
): Promise<void> => {
  await db.webhookEvent.updateMany({
    where: { id, status: { in: unappliedStatuses } },
    data: { lastError, nextAttemptAt, attempts: { increment: 1 } },
  });
};

/**
 * Lists the PENDING events that are due, longest due first, so that every event gets its turn. An
 * event whose next attempt lies beyond `longestWait` was postponed before the clock was set back. It
 * is also due.
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

/** Clears at most `limit` sealed bodies whose time to be purged has come and that no retry needs. */
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
 * The sealed content of a row: the raw body, and the event as the adapter read it on arrival. A retry
 * can therefore apply the event without checking its signature again.
 */
const contentSchema = z.object({ rawBase64: z.string(), event: z.unknown() });

const contextOf = (row: string) => ({
  purpose: 'webhook-body',
  column: 'webhook_event.sealed_body',
  row,
});

interface SealedBody {
  readonly sealedBody: string;
  /** The user whose key seals the body, or undefined if the service key seals it. */
  readonly sealedForUserId: string | undefined;
}

/** Returns the sealer of a user, or undefined if there is no user or the user's key is destroyed. */
const findUserSealer = async (
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
 * Seals an event for its inbox row, with the customer's key if the customer is known, and otherwise
 * with the service key. `event` is the serialized event, or null if the body can't be read.
 */
export const sealBody = async (
  vault: Vault,
  db: Db,
  entry: { id: string; userId: string | undefined; rawBody: Buffer; event: object | null },
): Promise<SealedBody> => {
  const sealer = await findUserSealer(vault, db, entry.userId);
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
 * Opens the sealed body of an inbox row. Returns the raw body and the serialized event, which is null
 * if the body could not be read on arrival.
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

/** The bodies that the service key has sealed and that will be purged. */
const serviceSealedBodies: SealedColumn = {
  table: 'webhook_event',
  column: 'sealed_body',
  contextOf,
  where: sql`sealed_body IS NOT NULL AND purge_after IS NOT NULL AND sealed_for_user_id IS NULL`,
};

/** Seals the bodies of unknown customers again with the current service key, by `resealColumn`. */
export const resealBodies = (
  deps: Parameters<typeof resealColumn>[0],
  signal: AbortSignal,
): Promise<number> => resealColumn(deps, serviceSealedBodies, signal);

/** Counts the bodies of unknown customers that a service key other than `keyId` has sealed. */
export const countOutdatedBodies = (db: Db, keyId: string): Promise<number> =>
  countSealedByOther(db, serviceSealedBodies, keyId);
