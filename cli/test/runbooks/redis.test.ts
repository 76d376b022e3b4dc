import { expect, vi } from 'vitest';
import { eventually } from '../../../backend/test/support/eventually.ts';
import { createRestartableRedis } from '../../../backend/test/support/restartable-redis.ts';
import { runningTest } from '../../../backend/test/support/running-test.ts';
import { openRunbook } from '../support/runbook.ts';
import { writeStackHome } from '../support/stack-home.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const openCompanion = async () => {
  const redis = await createRestartableRedis();
  await redis.start();
  return { redis, environment: { REDIS_URL: redis.url }, close: () => redis.close() };
};

const it = runningTest({ withAdmin: true, worker: 'none', openCompanion }).extend(
  'env',
  { scope: 'file' },
  async ({ system }, { onCleanup }) => {
    const home = await writeStackHome(system.stack);
    onCleanup(() => home.remove());
    return home.env;
  },
);

it('redis-down: names the cache alone, blocks a customer, and sees the cache again', async ({
  system,
  companion,
  env,
}) => {
  const { call, userId } = await system.newCustomer();
  const book = openRunbook('redis-down', env);
  const check = 'goldctl check --category stores';
  await companion.redis.stop();
  await eventually(async () => {
    const { stdout } = await book.play(check);
    expect(stdout).toContain('√ the database answers');
    expect(stdout).toMatch(/‼ the cache answers\n.*It does not answer: /u);
  });
  const replacing = { $ID: userId };
  const block = 'goldctl customer block "$ID" --reason "stolen phone"';
  expect((await book.play(block, { replacing, typed: ['y'] })).code).toBe(0);
  expect(await call('GET', '/users/me')).toMatchObject({ status: 401 });
  await companion.redis.start();
  await eventually(async () => {
    expect((await book.play(check)).stdout).toContain('√ the cache answers');
  });
  const unblock = 'goldctl customer unblock "$ID"';
  expect((await book.play(unblock, { replacing, typed: ['y'] })).code).toBe(0);
  expect(book.unplayed()).toEqual([]);
});
