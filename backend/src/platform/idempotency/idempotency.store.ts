import type { Db } from '../db/database.ts';

export interface KeyScope {
  readonly ownerId: string;
  readonly operation: string;
  readonly key: string;
}

/** A request that carries a key. */
export interface KeyedRequest {
  readonly scope: KeyScope;
  /** The parsed body without its key: what a repeat of the key must repeat. */
  readonly payload: object;
}

export interface KeyRow {
  readonly payload_hash: string;
  readonly status: 'RUNNING' | 'DONE';
  readonly lapsed: boolean;
  readonly resource_id: string | null;
}

/**
 * The rows of `idempotency_key`. A lease is a lock, so it runs on the database's own clock. Every
 * write of a holder names itself: one that lost its lease changes nothing.
 */
export const createIdempotencyStore = (db: Db) => ({
  /** Takes a free key; false where it is not free. */
  async insert(scope: KeyScope, hash: string, holder: string, leaseMs: number): Promise<boolean> {
    const count = await db.$executeRaw`
      INSERT INTO idempotency_key
        (owner_id, operation, key, payload_hash, status, holder_id, lease_until, created_at)
      VALUES (${scope.ownerId}::uuid, ${scope.operation}, ${scope.key}, ${hash}, 'RUNNING',
        ${holder}::uuid, now() + ${leaseMs} * interval '1 millisecond', now())
      ON CONFLICT (owner_id, operation, key) DO NOTHING`;
    return count === 1;
  },

  async find(scope: KeyScope): Promise<KeyRow | undefined> {
    const rows = await db.$queryRaw<KeyRow[]>`
      SELECT payload_hash, status, lease_until < now() AS lapsed, resource_id
      FROM idempotency_key
      WHERE owner_id = ${scope.ownerId}::uuid AND operation = ${scope.operation}
        AND key = ${scope.key}`;
    return rows[0];
  },

  /** Takes over a key whose holder let its lease lapse; false when another was quicker. */
  async takeOver(scope: KeyScope, holder: string, leaseMs: number): Promise<boolean> {
    const count = await db.$executeRaw`
      UPDATE idempotency_key
      SET holder_id = ${holder}::uuid, lease_until = now() + ${leaseMs} * interval '1 millisecond'
      WHERE owner_id = ${scope.ownerId}::uuid AND operation = ${scope.operation}
        AND key = ${scope.key} AND status = 'RUNNING' AND lease_until < now()`;
    return count === 1;
  },

  /** Names the resource that the key made, in the transaction that writes it. */
  async bind(scope: KeyScope, holder: string, resourceId: string): Promise<boolean> {
    const count = await db.$executeRaw`
      UPDATE idempotency_key SET resource_id = ${resourceId}::uuid
      WHERE owner_id = ${scope.ownerId}::uuid AND operation = ${scope.operation}
        AND key = ${scope.key} AND status = 'RUNNING' AND holder_id = ${holder}::uuid`;
    return count === 1;
  },

  async finish(scope: KeyScope, holder: string): Promise<void> {
    await db.$executeRaw`
      UPDATE idempotency_key SET status = 'DONE'
      WHERE owner_id = ${scope.ownerId}::uuid AND operation = ${scope.operation}
        AND key = ${scope.key} AND holder_id = ${holder}::uuid AND resource_id IS NOT NULL`;
  },

  /** Frees a key that made nothing; ends the lease of one that did, so a repeat resumes at once. */
  async letGo(scope: KeyScope, holder: string): Promise<void> {
    await db.$executeRaw`
      DELETE FROM idempotency_key
      WHERE owner_id = ${scope.ownerId}::uuid AND operation = ${scope.operation}
        AND key = ${scope.key} AND holder_id = ${holder}::uuid AND resource_id IS NULL`;
    await db.$executeRaw`
      UPDATE idempotency_key SET lease_until = now() - interval '1 millisecond'
      WHERE owner_id = ${scope.ownerId}::uuid AND operation = ${scope.operation}
        AND key = ${scope.key} AND holder_id = ${holder}::uuid AND status = 'RUNNING'`;
  },
});
