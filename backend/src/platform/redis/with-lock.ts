import type { Redis } from 'ioredis';
import Redlock, { ExecutionError, ResourceLockedError } from 'redlock';

interface LockOptions {
  readonly redis: Redis;
  readonly key: string;
  /**
   * The life of the lock after its holder dies, of at least 300 ms. A live holder extends the lock.
   */
  readonly ttlMs: number;
  /** The longest wait for another holder (default: none). */
  readonly waitMs?: number;
  /** Decides whether the work runs or is skipped while the cache is down (default: skipped). */
  readonly whenDown?: 'run' | 'skip';
}

const retryDelayMs = 100;
const redlocks = new WeakMap<Redis, Redlock>();

const redlockOf = (redis: Redis): Redlock => {
  const known = redlocks.get(redis);
  if (known !== undefined) return known;
  // A failing extension is repeated until the lock lapses. Without a delay, a cache that refuses at
  // once would cause an endless loop that blocks the process.
  const retries = { retryCount: 1, retryDelay: retryDelayMs, retryJitter: 30 };
  const redlock = new Redlock([redis], retries);
  // Contention is emitted as an error, which would otherwise have no listener.
  redlock.on('error', () => undefined);
  redlocks.set(redis, redlock);
  return redlock;
};

/** Returns true if the lock is held, and false if the cache could not answer. */
const isHeld = async (error: unknown): Promise<boolean> => {
  if (!(error instanceof ExecutionError)) return false;
  const last = await error.attempts.at(-1);
  const votes = [...(last?.votesAgainst.values() ?? [])];
  return votes.some((vote) => vote instanceof ResourceLockedError);
};

/**
 * Runs `work` under the lock of `key`, which is extended while `work` runs. Returns undefined
 * without running `work` if another process holds the lock. `signal` aborts if the lock is lost
 * meanwhile. Errors of `work` are thrown.
 *
 * A lock only saves work. PostgreSQL ensures that an action does not happen twice (contract:
 * conventions > Locks).
 */
export const withLock = async <T>(
  options: LockOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> => {
  const { redis, key, ttlMs, waitMs = 0, whenDown = 'skip' } = options;
  const settings = {
    retryCount: Math.ceil(waitMs / retryDelayMs),
    // A holder that stalls for less than this time keeps the lock.
    automaticExtensionThreshold: Math.floor(ttlMs / 3),
  };
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  const runWork = async (signal: AbortSignal): Promise<void> => {
    try {
      outcome = { value: await work(signal) };
    } catch (error) {
      outcome = { error };
    }
  };

  try {
    await redlockOf(redis).using([`lock:${key}`], ttlMs, settings, runWork);
  } catch (error) {
    // Once the work is done, an error can only come from releasing the lock, which then lapses by
    // itself.
    if (outcome === undefined) {
      if (whenDown === 'skip' || (await isHeld(error))) return undefined;
      await runWork(new AbortController().signal);
    }
  }
  if (outcome === undefined) return undefined;
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
};
