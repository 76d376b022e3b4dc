import { execute, selectOne, sql, type Db } from '../db/index.ts';
import type { Purge } from '../jobs/sweep.ts';
import { createLease } from '../lease/lease.ts';

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
  readonly payloadHash: string;
  readonly status: 'RUNNING' | 'DONE';
  /** Nobody holds it: its holder released it or let its lease lapse. */
  readonly isFree: boolean;
  readonly resourceId: string | null;
}

/** A try to hold a key, under an id of its own. */
export interface KeyLease {
  readonly holderId: string;
  readonly leaseMs: number;
}

const lease = createLease({ table: 'idempotency_key', keepsHolder: true });

const rowOf = ({ ownerId, operation, key }: KeyScope) =>
  sql`owner_id = ${ownerId}::uuid AND operation = ${operation} AND key = ${key}`;
const isRunning = sql`status = 'RUNNING'`;

/** Takes a key that nobody has used; false where somebody has. */
export const insertKey = async (
  db: Db,
  scope: KeyScope,
  payloadHash: string,
  { holderId, leaseMs }: KeyLease,
): Promise<boolean> => {
  const count = await execute(
    db,
    sql`
      INSERT INTO idempotency_key
        (owner_id, operation, key, payload_hash, status, holder_id, lease_until, created_at)
      VALUES (${scope.ownerId}::uuid, ${scope.operation}, ${scope.key}, ${payloadHash}, 'RUNNING',
        ${holderId}::uuid, ${lease.until(leaseMs)}, now())
      ON CONFLICT (owner_id, operation, key) DO NOTHING`,
  );
  return count === 1;
};

export const findKey = (db: Db, scope: KeyScope): Promise<KeyRow | undefined> =>
  selectOne<KeyRow>(
    db,
    sql`
      SELECT payload_hash AS "payloadHash", status, ${lease.isFree()} AS "isFree",
        resource_id AS "resourceId"
      FROM idempotency_key WHERE ${rowOf(scope)}`,
  );

/**
 * Acquires a running key that nobody holds, and returns the resource bound to it as the same
 * statement finds it: an earlier holder may bind one up to the moment that it loses the key.
 * Undefined when another was quicker.
 */
export const acquireKey = (
  db: Db,
  scope: KeyScope,
  { holderId, leaseMs }: KeyLease,
): Promise<{ readonly resourceId: string | null } | undefined> =>
  selectOne(
    db,
    sql`
      UPDATE idempotency_key
      SET holder_id = ${holderId}::uuid, lease_until = ${lease.until(leaseMs)}
      WHERE ${rowOf(scope)} AND ${isRunning} AND ${lease.isFree()}
      RETURNING resource_id AS "resourceId"`,
  );

/**
 * Names the resource that the key made, in the transaction that writes it. False when the lease
 * was lost or the key has a resource already: one key never makes two.
 */
export const bindKey = async (
  db: Db,
  scope: KeyScope,
  holderId: string,
  resourceId: string,
): Promise<boolean> => {
  const count = await execute(
    db,
    sql`
      UPDATE idempotency_key SET resource_id = ${resourceId}::uuid
      WHERE ${rowOf(scope)} AND ${isRunning} AND holder_id = ${holderId}::uuid
        AND resource_id IS NULL`,
  );
  return count === 1;
};

/** Marks a key done that has its resource; from then on it is replayed. */
export const finishKey = async (db: Db, scope: KeyScope, holderId: string): Promise<void> => {
  await execute(
    db,
    sql`
      UPDATE idempotency_key SET status = 'DONE'
      WHERE ${rowOf(scope)} AND holder_id = ${holderId}::uuid AND resource_id IS NOT NULL`,
  );
};

/** Frees a key that made nothing; ends the lease of one that did, so a repeat resumes at once. */
export const releaseKey = async (db: Db, scope: KeyScope, holderId: string): Promise<void> => {
  await execute(
    db,
    sql`
      DELETE FROM idempotency_key
      WHERE ${rowOf(scope)} AND holder_id = ${holderId}::uuid AND resource_id IS NULL`,
  );
  await lease.release(db, { row: rowOf(scope), where: isRunning, holderId });
};

/**
 * Makes an owner's keys meaningless, in the transaction that deletes the owner: a key is the
 * client's own text and a payload's hash could be guessed. The rows go on naming what they made.
 */
export const eraseKeys = async (tx: Db, ownerId: string): Promise<void> => {
  await execute(
    tx,
    sql`
      UPDATE idempotency_key SET key = gen_random_uuid()::text, payload_hash = ''
      WHERE owner_id = ${ownerId}::uuid`,
  );
};

/**
 * Days for which a key is replayed. Real time, like the lease: no order that a key started is still
 * on its way by then, and no client repeats a request for that long.
 */
const keptDays = 90;

/**
 * Deletes old keys: those that are done, and those whose request made nothing. One that has a
 * resource and was never finished stays, since a repeat of it has to go on with that resource.
 */
export const createKeyPurge = ({ db }: { readonly db: Db }): Purge => ({
  name: 'purge-idempotency-keys',
  deleteBatch: (limit) =>
    execute(
      db,
      sql`
        DELETE FROM idempotency_key WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM idempotency_key
          WHERE created_at < now() - ${keptDays}::int * interval '1 day'
            AND (status = 'DONE' OR (resource_id IS NULL AND lease_until < clock_timestamp()))
          ORDER BY created_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED))`,
    ),
});
