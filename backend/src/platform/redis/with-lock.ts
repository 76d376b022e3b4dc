import type { Redis } from 'ioredis';
import Redlock, { ExecutionError, ResourceLockedError } from 'redlock';

interface LockOptions {
  readonly redis: Redis;
  readonly key: string;
  /** Life of the lock after its holder dies. A living holder extends it. At least 300 ms. */
  readonly ttlMs: number;
  /** The longest wait for another holder (default: none). */
  readonly waitMs?: number;
  /** Decides if the work runs or is skipped while the cache is down (default: skipped). */
  readonly whenDown?: 'run' | 'skip';
}

const retryDelayMs = 100;
const redlocks = new WeakMap<Redis, Redlock>();

const redlockOf = (redis: Redis): Redlock => {
  const known = redlocks.get(redis);
  if (known !== undefined) return known;
  // A failing extension is repeated until the lock lapses. Without a delay it is repeated at once
  // and for ever, so a cache that refuses at once would keep everything else from running.
  const retries = { retryCount: 1, retryDelay: retryDelayMs, retryJitter: 30 };
  const made = new Redlock([redis], retries);
  // Contention is emitted as an error, which would otherwise have no listener.
  made.on('error', () => undefined);
  redlocks.set(redis, made);
  return made;
};

/** Returns true when somebody holds the lock, false when the cache could not say. */
const isHeld = async (error: unknown): Promise<boolean> => {
  if (!(error instanceof ExecutionError)) return false;
  const last = await error.attempts.at(-1);
  const votes = [...(last?.votesAgainst.values() ?? [])];
  return votes.some((vote) => vote instanceof ResourceLockedError);
};

/**
 * Runs `work` while holding the lock of `key`, extending it for as long as it runs. Returns
 * undefined without running it when another holds the lock. It never throws for that. `signal`
 * aborts when the lock is lost on the way. Errors of `work` pass through.
 *
 * A lock is advice that saves work. What must not happen twice is guarded in PostgreSQL (contract:
 * conventions > Locks).
 */
export const withLock = async <T>(
  options: LockOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> => {
  const { redis, key, ttlMs, waitMs = 0, whenDown = 'skip' } = options;
  const settings = {
    retryCount: Math.ceil(waitMs / retryDelayMs),
    // A holder that stops for less than this keeps the lock.
    automaticExtensionThreshold: Math.floor(ttlMs / 3),
  };
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  const kept = async (signal: AbortSignal): Promise<void> => {
    try {
      outcome = { value: await work(signal) };
    } catch (error) {
      outcome = { error };
    }
  };

  try {
    await redlockOf(redis).using([`lock:${key}`], ttlMs, settings, kept);
  } catch (error) {
    // Once the work is done, an error can only be of giving the lock back: it lapses by itself.
    if (outcome === undefined) {
      if (whenDown === 'skip' || (await isHeld(error))) return undefined;
      await kept(new AbortController().signal);
    }
  }
  if (outcome === undefined) return undefined;
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
};
