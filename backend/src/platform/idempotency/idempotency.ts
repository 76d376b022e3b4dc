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
  /** No request holds it: its holder released it or let its lease expire. */
  readonly isFree: boolean;
  readonly resourceId: string | null;
}

/** A try to hold a key. It has a separate id. */
interface KeyLease {
  readonly holderId: string;
  readonly leaseMs: number;
}

const lease = createLease({ table: 'idempotency_key', keepsHolder: true });

const rowOf = ({ ownerId, operation, key }: KeyScope) =>
  sql`owner_id = ${ownerId}::uuid AND operation = ${operation} AND key = ${key}`;
const isRunning = sql`status = 'RUNNING'`;

/** Takes an unused key. Writes nothing if the key is in use. */
const insertKey = <Together extends Reads>(
  db: Db,
  scope: KeyScope,
  payloadHash: string,
  { holderId, leaseMs }: KeyLease,
  reads: Together,
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
 * statement, since an earlier holder may bind one up to the moment when it loses the key. Returns
 * undefined if another holder has acquired it since.
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
 * Names the resource that the key made, in the transaction that writes it. False when the lease
 * was lost or the key has a resource already: one key never makes two.
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

/** Marks a key done that has its resource. From then on it is replayed. */
const finishKey = async (db: Db, scope: KeyScope, holderId: string): Promise<void> => {
  await db.idempotencyKey.updateMany({
    where: { ...scope, holderId, resourceId: { not: null } },
    data: { status: 'DONE' },
  });
};

/**
 * Frees a key that made nothing. Ends the lease of a key that made something, so a repeat resumes
 * at once.
 */
const releaseKey = async (db: Db, scope: KeyScope, holderId: string): Promise<void> => {
  await db.idempotencyKey.deleteMany({ where: { ...scope, holderId, resourceId: null } });
  await lease.release(db, { row: rowOf(scope), where: isRunning, holderId });
};

/**
 * Makes an owner's keys meaningless, in the transaction that deletes the owner: a key is the
 * client's own text and a payload's hash could be guessed. The rows still name their resources.
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
 * Deletes old keys: those that are done, and those whose request created nothing. An unfinished key
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

/** A key: 8 to 128 of the allowed characters (contract: conventions > Idempotency). */
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
 * Hashes a payload: the same for payloads that parse to the same input, whatever the order of
 * their fields. Pass parsed input, so that unknown fields are left out
 * (contract: conventions > Idempotency).
 */
export const payloadHash = (parsed: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical(parsed)))
    .digest('hex');

/** A key that this request holds. */
export interface Claim {
  /**
   * Names the resource, in the transaction that writes it. After this the key is no longer free.
   * @throws AppError REQUEST_IN_PROGRESS when the lease was lost meanwhile or the key has a
   *   resource already: the transaction falls, and nothing of this request is written.
   */
  bind(db: Db, resourceId: string): Promise<void>;
  /** Marks the key done. It may run in the transaction of the last step. */
  finish(db: Db): Promise<void>;
}

/** A key that this request holds, as the statement that took it found it. */
export interface HeldKey<Values> extends Claim {
  /** The resource that an earlier request of the key left on its way. */
  readonly resourceId: string | undefined;
  /** The values of the reads that the work begins with. */
  readonly values: Values;
}

interface IdempotentSteps<T, Together extends Reads> {
  /** Reads that the work begins with, by the statement that takes the key. */
  readonly reads?: Together;
  /** Returns the original resource in its current state. */
  readonly replay: (resourceId: string) => Promise<T>;
  /** Does the work, or resumes after the last committed step where `resourceId` is known. */
  readonly work: (
    claim: Claim,
    resourceId: string | undefined,
    values: ReadValues<Together>,
  ) => Promise<T>;
  /** False for a request that has waited already: it does not wait for the first one again. */
  readonly mayWait?: boolean | undefined;
}

/** A finished key's resource, and what was read in the same statement. */
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
  /** The same, with what the route's gate decides by, in one statement. */
  findReplayAndRead<Value>(
    scope: KeyScope,
    parsedPayload: unknown,
    value: Read<Value>,
  ): Promise<FoundReplay<Value>>;
  /**
   * Runs `work` once for a key and replays it afterwards (contract: conventions > Idempotency).
   * @throws AppError IDEMPOTENCY_KEY_REUSED, REQUEST_IN_PROGRESS, or what the steps throw.
   */
  run<T, Together extends Reads>(
    scope: KeyScope,
    parsedPayload: unknown,
    steps: IdempotentSteps<T, Together>,
  ): Promise<T>;
}

interface IdempotencyOptions {
  readonly db: Db;
  readonly random: Random;
  readonly timers: Timers;
  /** The lease of a key: longer than a request may take, so that a live process never loses it. */
  readonly leaseMs?: number;
  /** Real milliseconds for which a second request waits for the first. */
  readonly waitMs?: number;
}

const pollMs = 100;

type Position<Together extends Reads> =
  | {
      readonly kind: 'held';
      readonly resourceId: string | undefined;
      readonly values: ReadValues<Together>;
    }
  | { readonly kind: 'replay'; readonly resourceId: string };

/** A request that is to hold a key. */
interface WantedKey<Together extends Reads> {
  readonly scope: KeyScope;
  readonly hash: string;
  readonly lease: KeyLease;
  readonly reads: Together;
}

const claimOf = (scope: KeyScope, holderId: string): Claim => ({
  async bind(db, resourceId) {
    if (await bindKey(db, scope, holderId, resourceId)) return;
    throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
  },
  finish: (db) => finishKey(db, scope, holderId),
});

/** Creates what runs a request once for its key, and replays the result to every repeat. */
export const createIdempotency = (options: IdempotencyOptions): Idempotency => {
  const { db, random, timers, leaseMs = 30_000, waitMs = 5000 } = options;

  /** Tries the key once: it is ours now, finished, or (undefined) held by another. */
  const tryKey = async <Together extends Reads>(
    wanted: WantedKey<Together>,
  ): Promise<Position<Together> | undefined> => {
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

  const takeKey = async <Together extends Reads>(
    wanted: WantedKey<Together>,
    mostMs: number,
  ): Promise<Position<Together>> => {
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      const position = await tryKey(wanted);
      if (position !== undefined) return position;
      if (waitedMs >= mostMs) throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
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
      // Without any there are no values either.
      const reads = steps.reads ?? ({} as Reads as NonNullable<typeof steps.reads>);
      try {
        const wanted = { scope, hash, lease: { holderId, leaseMs }, reads };
        const position = await takeKey(wanted, steps.mayWait === false ? 0 : waitMs);
        if (position.kind === 'replay') return await steps.replay(position.resourceId);
        return await steps.work(claimOf(scope, holderId), position.resourceId, position.values);
      } catch (error) {
        // Also where what was read with the key could not be: nothing else has it then.
        await releaseKey(db, scope, holderId);
        throw error;
      }
    },
  };
};
