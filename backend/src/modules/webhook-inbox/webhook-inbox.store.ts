import type { Db } from '../../platform/db/index.ts';
import type { EventNames, InboxSource, InboxStatus } from './webhook-inbox.types.ts';

export interface InboxEntry {
  readonly id: string;
  readonly gateway: string;
  readonly eventId: string | undefined;
  readonly bodyHash: string;
  /** Undefined where the body can't be read. */
  readonly names: EventNames | undefined;
  readonly status: InboxStatus;
  readonly sealedBody: string;
  readonly sealedForUserId: string | undefined;
  readonly purgeAfter: Date | undefined;
  readonly receivedAt: Date;
  /** Only of a PENDING entry. */
  readonly failure?: { readonly error: string; readonly nextAttemptAt: Date };
}

export interface StoredEvent {
  readonly id: string;
  readonly gateway: string;
  readonly status: InboxStatus;
  readonly sealedBody: string | null;
  readonly sealedForUserId: string | null;
  readonly receivedAt: Date;
  readonly attempts: number;
}

const insertOn = async (db: Db, source: InboxSource, entry: InboxEntry): Promise<boolean> => {
  const { names, failure } = entry;
  const appliedAt = entry.status === 'APPLIED' ? entry.receivedAt : null;
  const inserted = await db.$executeRaw`
    INSERT INTO webhook_event
      (id, source, gateway, event_id, body_hash, dedupe_key, event_type, subject,
       gateway_payment_id, status, sealed_body, sealed_for_user_id, purge_after, attempts,
       next_attempt_at, last_error, received_at, applied_at)
    VALUES
      (${entry.id}::uuid, ${source}, ${entry.gateway}, ${entry.eventId ?? null}, ${entry.bodyHash},
       ${names?.dedupeKey ?? null}, ${names?.eventType ?? null}, ${names?.subject ?? null},
       ${names?.gatewayPaymentId ?? null}, ${entry.status}, ${entry.sealedBody},
       ${entry.sealedForUserId ?? null}::uuid, ${entry.purgeAfter ?? null}::timestamptz,
       ${failure === undefined ? 0 : 1}::int, ${failure?.nextAttemptAt ?? null}::timestamptz,
       ${failure?.error ?? null}, ${entry.receivedAt}::timestamptz, ${appliedAt}::timestamptz)
    ON CONFLICT DO NOTHING`;
  return inserted === 1;
};

/** One source's part of the inbox of signed events (decisions, section 5). */
export const createWebhookInboxStore = (db: Db, source: InboxSource) => ({
  /** False for a repeat: this event id, body or dedupe key is in the inbox already. */
  insert: (entry: InboxEntry): Promise<boolean> => insertOn(db, source, entry),

  /** Corrects the status of an event that this transaction stored. */
  async restatus(id: string, status: InboxStatus, at: Date): Promise<void> {
    const appliedAt = status === 'APPLIED' ? at : null;
    await db.$executeRaw`
      UPDATE webhook_event SET status = ${status}, applied_at = ${appliedAt}::timestamptz
      WHERE id = ${id}::uuid`;
  },

  /** The event, locked; undefined when it waits no longer, or another process is at it. */
  async lockWaiting(id: string): Promise<StoredEvent | undefined> {
    const rows = await db.$queryRaw<StoredEvent[]>`
      SELECT id, gateway, status, sealed_body AS "sealedBody",
        sealed_for_user_id AS "sealedForUserId", received_at AS "receivedAt", attempts
      FROM webhook_event
      WHERE id = ${id}::uuid AND source = ${source} AND status IN ('PENDING', 'UNMATCHED')
      FOR UPDATE SKIP LOCKED`;
    return rows[0];
  },

  async settle(id: string, status: InboxStatus, at: Date): Promise<void> {
    const appliedAt = status === 'APPLIED' ? at : null;
    const settled = await db.$executeRaw`
      UPDATE webhook_event SET status = ${status}, applied_at = ${appliedAt}::timestamptz,
        next_attempt_at = NULL, last_error = NULL, attempts = attempts + 1
      WHERE id = ${id}::uuid AND status IN ('PENDING', 'UNMATCHED')`;
    if (settled !== 1) throw new Error(`webhook event ${id} was settled by somebody else`);
  },

  async postpone(id: string, error: string, nextAttemptAt: Date): Promise<void> {
    await db.$executeRaw`
      UPDATE webhook_event SET attempts = attempts + 1, last_error = ${error},
        next_attempt_at = ${nextAttemptAt}::timestamptz
      WHERE id = ${id}::uuid AND status IN ('PENDING', 'UNMATCHED')`;
  },

  /** Events that wait and are due, oldest first; a wait that is too long is of a moved clock. */
  async listDue(now: Date, longestWait: Date, limit: number): Promise<string[]> {
    const rows = await db.$queryRaw<{ id: string }[]>`
      SELECT id FROM webhook_event
      WHERE source = ${source} AND status = 'PENDING'
        AND (next_attempt_at IS NULL OR next_attempt_at <= ${now}::timestamptz
          OR next_attempt_at > ${longestWait}::timestamptz)
      ORDER BY received_at LIMIT ${limit}`;
    return rows.map((row) => row.id);
  },

  /** Clears sealed bodies whose time is over and that nothing waits for; answers how many. */
  purge: (now: Date, limit: number): Promise<number> => db.$executeRaw`
    UPDATE webhook_event SET sealed_body = NULL
    WHERE id IN (
      SELECT id FROM webhook_event
      WHERE source = ${source} AND sealed_body IS NOT NULL AND status <> 'PENDING'
        AND purge_after < ${now}::timestamptz
      LIMIT ${limit})`,
});
