import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  execute,
  readAlone,
  readOf,
  readTogether,
  selectOne,
  sql,
  writeAndRead,
  type Db,
  type Read,
  type Reads,
  type ReadValues,
} from '../db/index.ts';
import { createRowPurge, type Purge } from '../jobs/sweep.ts';
import { createLease } from '../lease/lease.ts';
import type { Timers } from '../clock/timers.ts';
import { AppError } from '../errors/app-error.ts';
import type { Random } from '../ids/random.ts';

export interface KeyScope {
  readonly ownerId: string;
  readonly operation: string;
  readonly key: string;
}

interface KeyRow {
  readonly payloadHash: string;
  readonly status: 'RUNNING' | 'DONE';
  /** True if no request holds the key, because its holder released it or its lease expired. */
  readonly isFree: boolean;
  readonly resourceId: string | null;
}

/** The lease that a request tries to acquire. Each try has its own id. */
interface KeyLease {
  readonly holderId: string;
  readonly leaseMs: number;
}

const lease = createLease({ table: 'idempotency_key', keepsHolder: true });

const rowOf = ({ ownerId, operation, key }: KeyScope) =>
  sql`owner_id = ${ownerId}::uuid AND operation = ${operation} AND key = ${key}`;
const isRunning = sql`status = 'RUNNING'`;

/** Takes an unused key. Writes nothing if the key is in use. */
const insertKey = <Group extends Reads>(
  db: Db,
  scope: KeyScope,
  payloadHash: string,
  { holderId, leaseMs }: KeyLease,
  reads: Group,
) =>
  writeAndRead(
    db,
    sql`
      INSERT INTO idempotency_key
        (owner_id, operation, key, payload_hash, status, holder_id, lease_until, created_at)
      VALUES (${scope.ownerId}::uuid, ${scope.operation}, ${scope.key}, ${payloadHash}, 'RUNNING',
        ${holderId}::uuid, ${lease.until(leaseMs)}, now())
      ON CONFLICT (owner_id, operation, key) DO NOTHING
      RETURNING key`,
    reads,
  );

const selectKey = (scope: KeyScope) => sql`
  SELECT payload_hash AS "payloadHash", status, ${lease.isFree()} AS "isFree",
    resource_id AS "resourceId"
  FROM idempotency_key WHERE ${rowOf(scope)}`;

const findKey = (db: Db, scope: KeyScope): Promise<KeyRow | undefined> =>
  selectOne<KeyRow>(db, selectKey(scope));

/** Reads the resource of a finished key with the same payload. */
const readReplay = (scope: KeyScope, parsedPayload: unknown): Read<string | undefined> => {
  const hash = payloadHash(parsedPayload);
  return readOf(selectKey(scope), (row: KeyRow | undefined) => {
    if (row?.status !== 'DONE' || row.payloadHash !== hash) return undefined;
    return row.resourceId ?? undefined;
  });
};

/**
 * Acquires a running key whose lease has ended, and returns the resource bound to it in the same
 * statement, since an earlier holder may bind a resource until it loses the key. Returns undefined
 * if another holder has acquired the key meanwhile.
 */
const acquireKey = (
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
 * Binds the resource to the key, in the transaction that writes the resource. Returns false if the
 * lease was lost or the key already has a resource, since one key never creates two.
 */
const bindKey = async (
  db: Db,
  scope: KeyScope,
  holderId: string,
  resourceId: string,
): Promise<boolean> => {
  const { count } = await db.idempotencyKey.updateMany({
    where: { ...scope, status: 'RUNNING', holderId, resourceId: null },
    data: { resourceId },
  });
  return count === 1;
};

/** Marks a key with a resource as done. From then on the key is replayed. */
const finishKey = async (db: Db, scope: KeyScope, holderId: string): Promise<void> => {
  await db.idempotencyKey.updateMany({
    where: { ...scope, holderId, resourceId: { not: null } },
    data: { status: 'DONE' },
  });
};

/**
 * Deletes a key without a resource. Ends the lease of a key with a resource, so that a repeat can
 * resume at once.
 */
const releaseKey = async (db: Db, scope: KeyScope, holderId: string): Promise<void> => {
  await db.idempotencyKey.deleteMany({ where: { ...scope, holderId, resourceId: null } });
  await lease.release(db, { row: rowOf(scope), where: isRunning, holderId });
};

/**
 * Replaces an owner's keys and payload hashes, in the transaction that deletes the owner. A key is
 * the client's own text, and a payload can be guessed from its hash. The rows still name their
 * resources.
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
 * The days for which a key is replayed. They are real time, like the lease. By then every order
 * that a key started has ended, and no client repeats a request for that long.
 */
const keptDays = 90;

/**
 * Creates the purge of old keys that are done, or whose request created nothing. An unfinished key
 * with a resource stays, since a repeat must continue with that resource.
 */
export const createKeyPurge = ({ db }: { readonly db: Db }): Purge =>
  createRowPurge(db, {
    name: 'idempotency-purge-keys',
    table: 'idempotency_key',
    lapsed: () => sql`
      created_at < now() - ${keptDays}::int * interval '1 day'
      AND (status = 'DONE' OR (resource_id IS NULL AND lease_until < clock_timestamp()))`,
    orderBy: 'created_at',
  });

/** Accepts a key of 8 to 128 allowed characters (contract: conventions > Idempotency). */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{8,128}$/u, 'must be 8 to 128 characters from A-Z, a-z, 0-9 and . _ : -');

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .map(([key, child]) => [key, canonical(child)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/**
 * Hashes a payload. Payloads that parse to the same input have the same hash, in any order of their
 * fields. Pass parsed input, so that unknown fields are left out (contract: conventions >
 * Idempotency).
 */
export const payloadHash = (parsed: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical(parsed)))
    .digest('hex');

/** A key that this request holds. */
export interface Claim {
  /**
   * Binds the resource to the key, in the transaction that writes the resource.
   * @throws AppError REQUEST_IN_PROGRESS if the lease was lost meanwhile or the key already has a
   * resource. The transaction then rolls back, and this request writes nothing.
   */
  bind(db: Db, resourceId: string): Promise<void>;
  /** Marks the key done. It may run in the transaction of the last step. */
  finish(db: Db): Promise<void>;
}

/** A key that this request holds, with the rows that were read as the key was taken. */
export interface HeldKey<Values> extends Claim {
  /** The unfinished resource of an earlier request with the same key. */
  readonly resourceId: string | undefined;
  /** The values of the reads that the work begins with. */
  readonly values: Values;
}

interface IdempotentSteps<T, Group extends Reads> {
  /** Reads for the work. They run in the statement that takes the key. */
  readonly reads?: Group;
  /** Returns the original resource in its current state. */
  readonly replay: (resourceId: string) => Promise<T>;
  /** Does the work, or resumes it after the last committed step if `resourceId` is known. */
  readonly work: (
    claim: Claim,
    resourceId: string | undefined,
    values: ReadValues<Group>,
  ) => Promise<T>;
  /**
   * False for a request that has already waited for the first request, so that it does not wait
   * again.
   */
  readonly mayWait?: boolean | undefined;
}

/** A finished key's resource, and the value that was read in the same statement. */
interface FoundReplay<Value> {
  readonly resourceId: string | undefined;
  readonly value: Value;
}

export interface Idempotency {
  /**
   * Returns the resource of a finished key with the same payload, or undefined otherwise. It comes
   * before every other refusal on money routes.
   */
  findReplay(scope: KeyScope, parsedPayload: unknown): Promise<string | undefined>;
  /**
   * Returns the same resource, and a value that is read in the same statement for the route's gate.
   */
  findReplayAndRead<Value>(
    scope: KeyScope,
    parsedPayload: unknown,
    value: Read<Value>,
  ): Promise<FoundReplay<Value>>;
  /**
   * Runs `work` once for a key and replays it afterwards (contract: conventions > Idempotency).
   * @throws AppError IDEMPOTENCY_KEY_REUSED, REQUEST_IN_PROGRESS, or what the steps throw.
   */
  run<T, Group extends Reads>(
    scope: KeyScope,
    parsedPayload: unknown,
    steps: IdempotentSteps<T, Group>,
  ): Promise<T>;
}

interface IdempotencyOptions {
  readonly db: Db;
  readonly random: Random;
  readonly timers: Timers;
  /**
   * The lease of a key. It is longer than a request may take, so that a live process never loses
   * its key.
   */
  readonly leaseMs?: number;
  /** Real milliseconds for which a second request waits for the first. */
  readonly waitMs?: number;
}

const pollMs = 100;

type Position<Group extends Reads> =
  | {
      readonly kind: 'held';
      readonly resourceId: string | undefined;
      readonly values: ReadValues<Group>;
    }
  | { readonly kind: 'replay'; readonly resourceId: string };

/** A key that a request tries to hold. */
interface WantedKey<Group extends Reads> {
  readonly scope: KeyScope;
  readonly hash: string;
  readonly lease: KeyLease;
  readonly reads: Group;
}

const claimOf = (scope: KeyScope, holderId: string): Claim => ({
  async bind(db, resourceId) {
    if (await bindKey(db, scope, holderId, resourceId)) return;
    throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
  },
  finish: (db) => finishKey(db, scope, holderId),
});

/**
 * Creates the service that runs a request once for its key, and replays the result to every repeat.
 */
export const createIdempotency = (options: IdempotencyOptions): Idempotency => {
  const { db, random, timers, leaseMs = 30_000, waitMs = 5000 } = options;

  /** Tries once to take the key. Returns undefined if another request holds it. */
  const tryKey = async <Group extends Reads>(
    wanted: WantedKey<Group>,
  ): Promise<Position<Group> | undefined> => {
    const { scope, hash, lease, reads } = wanted;
    const { isWritten, values } = await insertKey(db, scope, hash, lease, reads);
    if (isWritten) return { kind: 'held', resourceId: undefined, values };
    const row = await findKey(db, scope);
    if (row === undefined) return undefined; // released between the two statements: try again
    if (row.payloadHash !== hash) throw new AppError('IDEMPOTENCY_KEY_REUSED');
    const resourceId = row.resourceId ?? undefined;
    if (row.status === 'DONE' && resourceId !== undefined) return { kind: 'replay', resourceId };
    const acquired = row.isFree ? await acquireKey(db, scope, lease) : undefined;
    return acquired && { kind: 'held', resourceId: acquired.resourceId ?? undefined, values };
  };

  const takeKey = async <Group extends Reads>(
    wanted: WantedKey<Group>,
    maxWaitMs: number,
  ): Promise<Position<Group>> => {
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      const position = await tryKey(wanted);
      if (position !== undefined) return position;
      if (waitedMs >= maxWaitMs)
        throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
      await timers.sleep(pollMs);
    }
  };

  return {
    findReplay: (scope, parsedPayload) => readAlone(db, readReplay(scope, parsedPayload)),

    async findReplayAndRead(scope, parsedPayload, value) {
      const resourceId = readReplay(scope, parsedPayload);
      return readTogether(db, { resourceId, value });
    },

    async run(scope, parsedPayload, steps) {
      const holderId = random.uuid();
      const hash = payloadHash(parsedPayload);
      // Without reads, there are no values either.
      const reads = steps.reads ?? ({} as Reads as NonNullable<typeof steps.reads>);
      try {
        const wanted = { scope, hash, lease: { holderId, leaseMs }, reads };
        const position = await takeKey(wanted, steps.mayWait === false ? 0 : waitMs);
        if (position.kind === 'replay') return await steps.replay(position.resourceId);
        return await steps.work(claimOf(scope, holderId), position.resourceId, position.values);
      } catch (error) {
        // This also frees a key that was taken by a statement whose reads could not be parsed.
        await releaseKey(db, scope, holderId);
        throw error;
      }
    },
  };
};
