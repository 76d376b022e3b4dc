import { expect, it } from 'vitest';
import { databaseOfFile } from '#test/support/database-of-file.ts';
import { createTimers } from '../clock/timers.ts';
import { execute, sql } from '../db/index.ts';
import { createRandom } from '../ids/random.ts';
import { createIdempotency, createKeyPurge } from './index.ts';

const random = createRandom();
const database = databaseOfFile(4);

const payload = { amount: '10' };

/** A key first used so many days ago. How far its request came is told by `ending`. */
const keyOf = async (days: number, ending: 'done' | 'bound' | 'unbound'): Promise<string> => {
  const idempotency = createIdempotency({ db: database().db, random, timers: createTimers() });
  const scope = { ownerId: random.uuid(), operation: 'test.make', key: random.uuid() };
  await idempotency.run(scope, payload, {
    replay: async (id) => id,
    async work(claim) {
      const id = random.uuid();
      if (ending !== 'unbound') await database().inTransaction((tx) => claim.bind(tx, id));
      if (ending === 'done') await claim.finish(database().db);
      return id;
    },
  });
  await execute(
    database().db,
    sql`
      UPDATE idempotency_key
      SET created_at = now() - ${days}::int * interval '1 day', lease_until = now()
      WHERE key = ${scope.key}`,
  );
  return scope.key;
};

it('the purge deletes keys after 90 days, but not those of unfinished requests', async () => {
  const old = {
    done: await keyOf(91, 'done'),
    unbound: await keyOf(91, 'unbound'),
    bound: await keyOf(91, 'bound'),
  };
  const recent = [await keyOf(89, 'done'), await keyOf(0, 'done'), await keyOf(89, 'bound')];
  const { deleteBatch } = createKeyPurge({ db: database().db });
  expect(await deleteBatch(1)).toBe(1);
  expect(await deleteBatch(100)).toBe(1);
  expect(await deleteBatch(100)).toBe(0);
  const left = await database().db.idempotencyKey.findMany({ select: { key: true } });
  const kept = [old.bound, ...recent];
  expect(left.map(({ key }) => key).toSorted()).toEqual(kept.toSorted());
});
