import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectRedis } from '#test/support/connect-redis.ts';
import { eventually } from '#test/support/eventually.ts';
import { createGate } from '#test/support/gate.ts';
import { createRestartableRedis, type RestartableRedis } from '#test/support/restartable-redis.ts';
import { createRandom } from '../ids/random.ts';
import { createSilentLogger } from '../observability/logger.ts';
import type { ObservedSweep } from '../observability/metrics.ts';
import { closeRedis } from '../redis/create-redis.ts';
import { createSweepRunner, type SweepRunner } from './create-sweep-runner.ts';
import type { Sweep } from './sweep.ts';

let server: RestartableRedis;
const clients: Awaited<ReturnType<typeof connectRedis>>[] = [];
const runners: SweepRunner[] = [];

beforeAll(async () => {
  server = await createRestartableRedis();
  await server.start();
});
afterAll(async () => {
  await server.close();
});
afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.stop()));
  await Promise.all(clients.splice(0).map(closeRedis));
});

const createReplica = async (sweeps: readonly Sweep[]) => {
  const redis = await connectRedis(server.url);
  clients.push(redis);
  const observed: ObservedSweep[] = [];
  const runner = createSweepRunner({
    sweeps,
    everyMs: 60_000,
    redis,
    logger: createSilentLogger(),
    // No jitter: nothing to wait for.
    random: { ...createRandom(), int: () => 0 },
    metrics: { observeSweep: (sweep) => observed.push(sweep) },
  });
  runners.push(runner);
  return { runner, redis, outcomes: () => observed.map(({ outcome }) => outcome) };
};

const failing = async (): Promise<void> => {
  throw new Error('once more');
};

describe('sweep runner', () => {
  it('runs again and again, also after an error', async () => {
    let runs = 0;
    const run = async (): Promise<void> => {
      runs += 1;
      if (runs === 1) await failing();
    };
    const sweep = { name: 'again', everyMs: 100, run };
    const { runner, outcomes } = await createReplica([sweep]);
    runner.start();
    await eventually(() => runs >= 3);
    expect(outcomes()[0]).toBe('failed');
    expect(outcomes()).toContain('done');
  });

  it('runs in one replica at a time, and once in a period over all', async () => {
    let runs = 0;
    const gate = createGate();
    const run = async (): Promise<void> => {
      runs += 1;
      await gate.opened;
    };
    const sweep = { name: 'leader', run };
    const [a, b] = [await createReplica([sweep]), await createReplica([sweep])];
    const first = a.runner.runNow('leader');
    await eventually(() => runs === 1);
    expect(await b.runner.runNow('leader')).toBe('skipped');
    gate.open();
    expect(await first).toBe('done');
    b.runner.start();
    await eventually(() => b.outcomes().length === 2);
    expect(b.outcomes()).toEqual(['skipped', 'skipped']);
    expect(runs).toBe(1);
    expect(await b.runner.runNow('leader')).toBe('done');
  });

  it('runs without the cache, and never beside itself in a process', async () => {
    let [atOnce, most, runs] = [0, 0, 0];
    const gate = createGate();
    const run = async (): Promise<void> => {
      runs += 1;
      atOnce += 1;
      most = Math.max(most, atOnce);
      await gate.opened;
      atOnce -= 1;
    };
    const sweep = { name: 'down', run };
    const { runner, redis } = await createReplica([sweep]);
    await server.stop();
    await eventually(() => redis.status !== 'ready');
    const both = [runner.runNow('down'), runner.runNow('down')];
    await eventually(() => runs === 1);
    gate.open();
    expect(await Promise.all(both)).toEqual(['done', 'done']);
    expect(most).toBe(1);
    await server.start();
  });

  it('waits for the run under way when it is stopped, and tells it', async () => {
    const events: string[] = [];
    const run = async (signal: AbortSignal): Promise<void> => {
      events.push('started');
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve());
      });
      events.push('finished');
    };
    const sweep = { name: 'stopped', everyMs: 100, run };
    const { runner } = await createReplica([sweep]);
    runner.start();
    await eventually(() => events.length === 1);
    await runner.stop();
    expect(events).toEqual(['started', 'finished']);
  });

  it('refuses names that are twice there or malformed, and periods that are too short', async () => {
    const sweep = { name: 'twice', everyMs: 100, run: failing };
    await expect(createReplica([sweep, sweep])).rejects.toThrow('same name');
    await expect(createReplica([{ ...sweep, name: 'No good' }])).rejects.toThrow('bad sweep name');
    await expect(createReplica([{ ...sweep, everyMs: 50 }])).rejects.toThrow('too frequent');
  });
});
