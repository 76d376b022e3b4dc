import type { Timers } from '../clock/timers.ts';
import type { Db } from '../db/database.ts';
import { AppError } from '../errors/app-error.ts';
import type { Random } from '../ids/random.ts';
import { createIdempotencyStore, type KeyScope } from './idempotency.store.ts';
import { payloadHash } from './payload-hash.ts';

/** A held key. */
export interface Claim {
  /**
   * Names the resource, in the transaction that writes it. After this the key is no longer free.
   * @throws AppError REQUEST_IN_PROGRESS when the lease was lost meanwhile: the transaction falls.
   */
  bind(db: Db, resourceId: string): Promise<void>;
  /** Marks the key done; may be in the transaction of the last step. */
  finish(db: Db): Promise<void>;
}

export interface IdempotentSteps<T> {
  /** The original resource as it is now. */
  readonly replay: (resourceId: string) => Promise<T>;
  /** Does the work, or goes on after the last committed step where `resourceId` is known. */
  readonly work: (claim: Claim, resourceId: string | undefined) => Promise<T>;
}

export interface Idempotency {
  /**
   * The resource of a finished key with the same payload; undefined otherwise. For what comes
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
  /** How long a key stays with a process that may have died. */
  readonly leaseMs?: number;
  /** How long a second request waits for the first. */
  readonly waitMs?: number;
}

const pollMs = 100;

type Position =
  | { readonly kind: 'held'; readonly resourceId: string | undefined }
  | { readonly kind: 'replay'; readonly resourceId: string };

const claimOf = (scope: KeyScope, holder: string): Claim => ({
  async bind(db, resourceId) {
    if (await createIdempotencyStore(db).bind(scope, holder, resourceId)) return;
    throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
  },
  finish: (db) => createIdempotencyStore(db).finish(scope, holder),
});

export const createIdempotency = (options: IdempotencyOptions): Idempotency => {
  const { random, timers, leaseMs = 30_000, waitMs = 5000 } = options;
  const store = createIdempotencyStore(options.db);

  /** One look at the key: ours now, finished, or (undefined) held by another. */
  const look = async (
    scope: KeyScope,
    hash: string,
    holder: string,
  ): Promise<Position | undefined> => {
    if (await store.insert(scope, hash, holder, leaseMs)) {
      return { kind: 'held', resourceId: undefined };
    }
    const row = await store.find(scope);
    if (row === undefined) return undefined; // let go between the two statements: look again
    if (row.payload_hash !== hash) throw new AppError('IDEMPOTENCY_KEY_REUSED');
    const resourceId = row.resource_id ?? undefined;
    if (row.status === 'DONE' && resourceId !== undefined) return { kind: 'replay', resourceId };
    if (!row.lapsed || !(await store.takeOver(scope, holder, leaseMs))) return undefined;
    return { kind: 'held', resourceId };
  };

  const take = async (scope: KeyScope, hash: string, holder: string): Promise<Position> => {
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      const position = await look(scope, hash, holder);
      if (position !== undefined) return position;
      if (waitedMs >= waitMs) throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
      await timers.sleep(pollMs);
    }
  };

  return {
    async findReplay(scope, parsedPayload) {
      const row = await store.find(scope);
      if (row?.status !== 'DONE' || row.payload_hash !== payloadHash(parsedPayload)) {
        return undefined;
      }
      return row.resource_id ?? undefined;
    },

    async run(scope, parsedPayload, steps) {
      const holder = random.uuid();
      const position = await take(scope, payloadHash(parsedPayload), holder);
      if (position.kind === 'replay') return steps.replay(position.resourceId);
      try {
        return await steps.work(claimOf(scope, holder), position.resourceId);
      } catch (error) {
        await store.letGo(scope, holder);
        throw error;
      }
    },
  };
};
