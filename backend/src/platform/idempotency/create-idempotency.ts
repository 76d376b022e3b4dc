import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Timers } from '../clock/timers.ts';
import type { Db } from '../db/database.ts';
import { AppError } from '../errors/app-error.ts';
import type { Random } from '../ids/random.ts';
import {
  acquireKey,
  bindKey,
  findKey,
  finishKey,
  insertKey,
  releaseKey,
  type KeyLease,
  type KeyScope,
} from './idempotency.store.ts';

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
  /** Marks the key done; may be in the transaction of the last step. */
  finish(db: Db): Promise<void>;
}

export interface IdempotentSteps<T> {
  /** Returns the original resource as it is now. */
  readonly replay: (resourceId: string) => Promise<T>;
  /** Does the work, or resumes after the last committed step where `resourceId` is known. */
  readonly work: (claim: Claim, resourceId: string | undefined) => Promise<T>;
}

export interface Idempotency {
  /**
   * Returns the resource of a finished key with the same payload; undefined otherwise. It comes
   * before every other refusal on money routes.
   */
  findReplay(scope: KeyScope, parsedPayload: unknown): Promise<string | undefined>;
  /**
   * Runs `work` once for a key and replays it afterwards (contract: conventions > Idempotency).
   * @throws AppError IDEMPOTENCY_KEY_REUSED, REQUEST_IN_PROGRESS, or what the steps throw.
   */
  run<T>(scope: KeyScope, parsedPayload: unknown, steps: IdempotentSteps<T>): Promise<T>;
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

type Position =
  | { readonly kind: 'held'; readonly resourceId: string | undefined }
  | { readonly kind: 'replay'; readonly resourceId: string };

const claimOf = (scope: KeyScope, holderId: string): Claim => ({
  async bind(db, resourceId) {
    if (await bindKey(db, scope, holderId, resourceId)) return;
    throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
  },
  finish: (db) => finishKey(db, scope, holderId),
});

export const createIdempotency = (options: IdempotencyOptions): Idempotency => {
  const { db, random, timers, leaseMs = 30_000, waitMs = 5000 } = options;

  /** Tries the key once: it is ours now, finished, or (undefined) held by another. */
  const tryKey = async (
    scope: KeyScope,
    hash: string,
    lease: KeyLease,
  ): Promise<Position | undefined> => {
    if (await insertKey(db, scope, hash, lease)) return { kind: 'held', resourceId: undefined };
    const row = await findKey(db, scope);
    if (row === undefined) return undefined; // released between the two statements: try again
    if (row.payloadHash !== hash) throw new AppError('IDEMPOTENCY_KEY_REUSED');
    const resourceId = row.resourceId ?? undefined;
    if (row.status === 'DONE' && resourceId !== undefined) return { kind: 'replay', resourceId };
    const acquired = row.isFree ? await acquireKey(db, scope, lease) : undefined;
    return acquired && { kind: 'held', resourceId: acquired.resourceId ?? undefined };
  };

  const takeKey = async (scope: KeyScope, hash: string, lease: KeyLease): Promise<Position> => {
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      const position = await tryKey(scope, hash, lease);
      if (position !== undefined) return position;
      if (waitedMs >= waitMs) throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
      await timers.sleep(pollMs);
    }
  };

  return {
    async findReplay(scope, parsedPayload) {
      const row = await findKey(db, scope);
      if (row?.status !== 'DONE' || row.payloadHash !== payloadHash(parsedPayload)) {
        return undefined;
      }
      return row.resourceId ?? undefined;
    },

    async run(scope, parsedPayload, steps) {
      const holderId = random.uuid();
      const position = await takeKey(scope, payloadHash(parsedPayload), { holderId, leaseMs });
      if (position.kind === 'replay') return steps.replay(position.resourceId);
      try {
        return await steps.work(claimOf(scope, holderId), position.resourceId);
      } catch (error) {
        await releaseKey(db, scope, holderId);
        throw error;
      }
    },
  };
};
