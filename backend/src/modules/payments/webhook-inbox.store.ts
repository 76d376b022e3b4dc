import type { Db } from '../../platform/db/index.ts';

/** APPLIED: whatever follows of it has followed. PENDING: it waits to be applied. */
export type InboxStatus = 'PENDING' | 'APPLIED' | 'IGNORED' | 'UNMATCHED' | 'UNREADABLE';

export interface InboxEntry {
  readonly id: string;
  readonly gateway: string;
  readonly eventId: string | undefined;
  readonly bodyHash: string;
  readonly eventType: string | undefined;
  /** The gateway order that it speaks of. */
  readonly subject: string | undefined;
  readonly gatewayPaymentId: string | undefined;
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

const insertOn = async (db: Db, entry: InboxEntry): Promise<boolean> => {
  const appliedAt = entry.status === 'APPLIED' ? entry.receivedAt : null;
  const inserted = await db.$executeRaw`
    INSERT INTO webhook_event
      (id, source, gateway, event_id, body_hash, event_type, subject, gateway_payment_id, status,
       sealed_body, sealed_for_user_id, purge_after, attempts, next_attempt_at, last_error,
       received_at, applied_at)
    VALUES
      (${entry.id}::uuid, 'payment', ${entry.gateway}, ${entry.eventId ?? null}, ${entry.bodyHash},
       ${entry.eventType ?? null}, ${entry.subject ?? null}, ${entry.gatewayPaymentId ?? null},
       ${entry.status}, ${entry.sealedBody}, ${entry.sealedForUserId ?? null}::uuid,
       ${entry.purgeAfter ?? null}::timestamptz, ${entry.failure === undefined ? 0 : 1}::int,
       ${entry.failure?.nextAttemptAt ?? null}::timestamptz, ${entry.failure?.error ?? null},
       ${entry.receivedAt}::timestamptz, ${appliedAt}::timestamptz)
    ON CONFLICT DO NOTHING`;
  return inserted === 1;
};

/** The payment gateways' part of the inbox of signed events. */
export const createWebhookInboxStore = (db: Db) => ({
  /** False for a repeat: this event id or this body is in the inbox already. */
  insert: (entry: InboxEntry): Promise<boolean> => insertOn(db, entry),

  /** The event, locked; undefined when it waits no longer, or another process is at it. */
  async lockWaiting(id: string): Promise<StoredEvent | undefined> {
    const rows = await db.$queryRaw<StoredEvent[]>`
      SELECT id, gateway, status, sealed_body AS "sealedBody",
        sealed_for_user_id AS "sealedForUserId", received_at AS "receivedAt", attempts
      FROM webhook_event
      WHERE id = ${id}::uuid AND source = 'payment' AND status IN ('PENDING', 'UNMATCHED')
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
      WHERE source = 'payment' AND status = 'PENDING'
        AND (next_attempt_at IS NULL OR next_attempt_at <= ${now}::timestamptz
          OR next_attempt_at > ${longestWait}::timestamptz)
      ORDER BY received_at LIMIT ${limit}`;
    return rows.map((row) => row.id);
  },

  /** Events of unknown orders whose order became known since, oldest first. */
  async listMatchable(receivedFrom: Date, limit: number): Promise<string[]> {
    const rows = await db.$queryRaw<{ id: string }[]>`
      SELECT e.id FROM webhook_event e
      JOIN payment_order p ON p.gateway = e.gateway AND p.gateway_order_id = e.subject
      WHERE e.source = 'payment' AND e.status = 'UNMATCHED'
        AND e.received_at >= ${receivedFrom}::timestamptz
      ORDER BY e.received_at LIMIT ${limit}`;
    return rows.map((row) => row.id);
  },

  /** Clears sealed bodies whose time is over and that nothing waits for; answers how many. */
  purge: (now: Date, limit: number): Promise<number> => db.$executeRaw`
    UPDATE webhook_event SET sealed_body = NULL
    WHERE id IN (
      SELECT id FROM webhook_event
      WHERE source = 'payment' AND sealed_body IS NOT NULL AND status <> 'PENDING'
        AND purge_after < ${now}::timestamptz
      LIMIT ${limit})`,
});
