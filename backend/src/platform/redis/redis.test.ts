import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { connectRedis } from '#test/support/connect-redis.ts';
import { eventually } from '#test/support/eventually.ts';
import { createGate } from '#test/support/gate.ts';
import { createRestartableRedis, type RestartableRedis } from '#test/support/restartable-redis.ts';
import { createTimers } from '../clock/timers.ts';
import { createCache } from './create-cache.ts';
import { closeRedis, createRedis, pingRedis, untilReady } from './create-redis.ts';
import { withLock } from './with-lock.ts';

let server: RestartableRedis;
beforeAll(async () => {
  server = await createRestartableRedis();
  await server.start();
});
afterAll(async () => {
  await server.close();
});

const withClient = async (work: (redis: ReturnType<typeof createRedis>) => Promise<void>) => {
  const redis = await connectRedis(server.url);
  try {
    await work(redis);
  } finally {
    await closeRedis(redis);
  }
};

/** The server is started again whatever happens, for the tests that follow. */
const withServerDown = async (work: () => Promise<void>): Promise<void> => {
  await server.stop();
  try {
    await work();
  } finally {
    await server.start();
  }
};

describe('createRedis', () => {
  it('fails at once while the cache is down, and works again once it is back', async () => {
    await withClient(async (redis) => {
      await pingRedis(redis);
      await withServerDown(async () => {
        await eventually(() => redis.status !== 'ready');
        const failure = redis.get('x').catch((error: unknown) => error);
        // Before anything else has its turn: neither a timer nor the network was waited for.
        const atOnce = await Promise.race([failure, setImmediate('still waiting')]);
        expect(String(atOnce)).toMatch(/stream|closed/iu);
      });
      await eventually(() => pingRedis(redis));
    });
  });

  it('gives up after 200 ms on a cache that is connected and does not answer', async () => {
    await withClient(async (operator) => {
      const redis = createRedis(server.url, 'fail-fast');
      await untilReady(redis, 30_000);
      await operator.client('PAUSE', 600_000, 'WRITE');
      try {
        const failure = redis.set('x', '1').catch((error: unknown) => error);
        // Timers end in the order of their times, however late they are looked at.
        const patience = createTimers().sleep(201);
        const first = await Promise.race([failure, patience]);
        expect(String(first)).toContain('Command timed out');
      } finally {
        await operator.client('UNPAUSE');
        await closeRedis(redis);
      }
    });
  });
});

describe('withLock', () => {
  it('gives the lock to one, answers undefined to the other, and frees it', async () => {
    await withClient(async (redis) => {
      const gate = createGate();
      const first = withLock({ redis, key: 'a', ttlMs: 30_000 }, async () => {
        await gate.opened;
        return 'first';
      });
      await eventually(async () => (await redis.exists('lock:a')) === 1);
      expect(
        await withLock({ redis, key: 'a', ttlMs: 30_000 }, async () => 'second'),
      ).toBeUndefined();
      gate.open();
      expect(await first).toBe('first');
      expect(await withLock({ redis, key: 'a', ttlMs: 30_000 }, async () => 'third')).toBe('third');
    });
  });

  it('waits for the holder where told to', async () => {
    await withClient(async (redis) => {
      const gate = createGate();
      const first = withLock({ redis, key: 'w', ttlMs: 30_000 }, () => gate.opened);
      await eventually(async () => (await redis.exists('lock:w')) === 1);
      const second = withLock(
        { redis, key: 'w', ttlMs: 30_000, waitMs: 30_000 },
        async () => 'mine',
      );
      gate.open();
      await first;
      expect(await second).toBe('mine');
    });
  });

  it('keeps the lock for as long as the work runs', async () => {
    await withClient(async (redis) => {
      const gate = createGate();
      let extended = 0;
      let wasAborted = false;
      const work = withLock({ redis, key: 'long', ttlMs: 1500 }, async (signal) => {
        await gate.opened;
        wasAborted = signal.aborted;
        return 'done';
      });
      let before = Number.POSITIVE_INFINITY;
      await eventually(async () => {
        const left = await redis.pttl('lock:long');
        if (left > before) extended += 1;
        before = left;
        return extended >= 2;
      });
      gate.open();
      expect(await work).toBe('done');
      expect(wasAborted).toBe(false);
    });
  });

  it('tells the work that the lock is lost, and asks a lost cache now and then for it', async () => {
    const redis = await connectRedis(server.url);
    const asked = vi.spyOn(redis, 'evalsha');
    const gate = createGate();
    const work = withLock({ redis, key: 'lost', ttlMs: 3000 }, async (signal) => {
      redis.disconnect();
      signal.addEventListener('abort', gate.open, { once: true });
      await gate.opened;
      return 'told';
    });
    expect(await work).toBe('told');
    // A second in which it may be extended, and a tenth of one between two tries.
    expect(asked.mock.calls.length).toBeLessThan(100);
  });

  it('passes on what the work throws', async () => {
    await withClient(async (redis) => {
      const work = withLock({ redis, key: 'e', ttlMs: 30_000 }, async () => {
        throw new Error('of the work');
      });
      await expect(work).rejects.toThrow('of the work');
      expect(await withLock({ redis, key: 'e', ttlMs: 30_000 }, async () => 1)).toBe(1);
    });
  });

  it('runs or leaves the work while the cache is down, as told', async () => {
    await withClient(async (redis) => {
      await withServerDown(async () => {
        await eventually(() => redis.status !== 'ready');
        const run = { redis, key: 'd', ttlMs: 30_000, whenDown: 'run' } as const;
        expect(await withLock(run, async () => 'ran')).toBe('ran');
        expect(await withLock({ ...run, whenDown: 'skip' }, async () => 'ran')).toBeUndefined();
      });
    });
  });

  it('keeps the result when the cache is lost before the lock is given back', async () => {
    await withClient(async (redis) => {
      let runs = 0;
      const work = withLock({ redis, key: 'r', ttlMs: 30_000, whenDown: 'run' }, async () => {
        runs += 1;
        await server.stop();
        return 'kept';
      });
      expect(await work).toBe('kept');
      expect(runs).toBe(1);
      await server.start();
    });
  });
});

describe('createCache', () => {
  const schema = z.object({ pricePaise: z.number() });

  it('keeps values for their life and drops them', async () => {
    await withClient(async (redis) => {
      const cache = createCache({ redis, prefix: 'price', schema, ttlMs: 60_000 });
      expect(await cache.get('now')).toBeUndefined();
      await cache.set('now', { pricePaise: 5 });
      expect(await cache.get('now')).toEqual({ pricePaise: 5 });
      expect(await redis.pttl('price:now')).toBeGreaterThan(50_000);
      await cache.del('now');
      expect(await cache.get('now')).toBeUndefined();
    });
  });

  it('takes a value of another shape, or no JSON, for a miss', async () => {
    await withClient(async (redis) => {
      const cache = createCache({ redis, prefix: 'price', schema, ttlMs: 60_000 });
      await redis.set('price:old', '{"price": 5}');
      await redis.set('price:broken', '{');
      expect(await cache.get('old')).toBeUndefined();
      expect(await cache.get('broken')).toBeUndefined();
    });
  });

  it('treats a cache that is down as empty', async () => {
    await withClient(async (redis) => {
      const errors: unknown[] = [];
      const onError = (error: unknown): void => void errors.push(error);
      const cache = createCache({ redis, prefix: 'price', schema, ttlMs: 60_000, onError });
      await withServerDown(async () => {
        await eventually(() => redis.status !== 'ready');
        expect(await cache.get('now')).toBeUndefined();
        expect(await cache.set('now', { pricePaise: 5 })).toBe(false);
        expect(await cache.del('now')).toBe(false);
      });
      expect(errors).toHaveLength(3);
    });
  });
});
