import { describe, expect, it } from 'vitest';
import { databaseOfFile } from '#test/support/database-of-file.ts';
import { createGate } from '#test/support/gate.ts';
import { createTimers } from '../clock/timers.ts';
import type { Database } from '../db/index.ts';
import { createRandom } from '../ids/random.ts';
import { createIdempotency, payloadHash, type Claim } from './index.ts';

const random = createRandom();
const database = databaseOfFile(8);

const open = (options: { leaseMs?: number; waitMs?: number } = {}) =>
  createIdempotency({ db: database().db, random, timers: createTimers(), ...options });

const newScope = () => ({ ownerId: random.uuid(), operation: 'test.make', key: random.uuid() });

/** Makes a resource in one transaction, as a money route does. */
const make = (made: string[]) => async (claim: Claim) => {
  const id = random.uuid();
  await database().inTransaction(async (db) => claim.bind(db, id));
  made.push(id);
  await claim.finish(database().db);
  return { id, replayed: false };
};
const replay = async (id: string) => ({ id, replayed: true });

describe('an idempotency key', () => {
  it('has one effect and replays it', async () => {
    const scope = newScope();
    const made: string[] = [];
    const steps = { replay, work: make(made) };
    const first = await open().run(scope, { amount: '10' }, steps);
    const second = await open().run(scope, { amount: '10' }, steps);
    expect(made).toEqual([first.id]);
    expect(second).toEqual({ id: first.id, replayed: true });
    expect(await open().findReplay(scope, { amount: '10' })).toBe(first.id);
    expect(await open().findReplay(scope, { amount: '11' })).toBeUndefined();
  });

  it('refuses another payload', async () => {
    const scope = newScope();
    const steps = { replay, work: make([]) };
    await open().run(scope, { amount: '10' }, steps);
    await expect(open().run(scope, { amount: '11' }, steps)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });

  it('belongs to its owner and operation', async () => {
    const scope = newScope();
    const made: string[] = [];
    const steps = { replay, work: make(made) };
    await open().run(scope, {}, steps);
    await open().run({ ...scope, ownerId: random.uuid() }, {}, steps);
    await open().run({ ...scope, operation: 'test.other' }, {}, steps);
    expect(made).toHaveLength(3);
  });

  it('has one effect for thirty requests at once', async () => {
    const scope = newScope();
    const made: string[] = [];
    const run = () => open({ waitMs: 60_000 }).run(scope, { a: 1 }, { replay, work: make(made) });
    const answers = await Promise.all(Array.from({ length: 30 }, run));
    expect(made).toHaveLength(1);
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set(made));
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it('stays free when the request was refused before it wrote anything', async () => {
    const scope = newScope();
    const refused = open().run(
      scope,
      { amount: 'first' },
      {
        replay,
        work: async () => {
          throw new Error('refused');
        },
      },
    );
    await expect(refused).rejects.toThrow('refused');
    const made: string[] = [];
    await open().run(scope, { amount: 'second' }, { replay, work: make(made) });
    expect(made).toHaveLength(1);
  });

  it('is taken up at the last committed step when the work broke after it', async () => {
    const scope = newScope();
    const id = random.uuid();
    const broken = open().run(
      scope,
      {},
      {
        replay,
        work: async (claim) => {
          await database().inTransaction(async (db) => claim.bind(db, id));
          throw new Error('the gateway is away');
        },
      },
    );
    await expect(broken).rejects.toThrow('the gateway is away');
    const resumed = await open().run(
      scope,
      {},
      {
        replay,
        work: async (claim, resourceId) => {
          await claim.finish(database().db);
          return { id: resourceId, replayed: false };
        },
      },
    );
    expect(resumed).toEqual({ id, replayed: false });
    expect(await open().findReplay(scope, {})).toBe(id);
  });

  it('makes a second request wait, and refuses it when the first takes too long', async () => {
    const scope = newScope();
    const held = createGate();
    const running = createGate();
    const made: string[] = [];
    const first = open().run(
      scope,
      {},
      {
        replay,
        work: async (claim) => {
          running.open();
          await held.opened;
          return make(made)(claim);
        },
      },
    );
    await running.opened;
    const second = open({ waitMs: 200 }).run(scope, {}, { replay, work: make(made) });
    await expect(second).rejects.toMatchObject({ code: 'REQUEST_IN_PROGRESS' });
    const third = open().run(scope, {}, { replay, work: make(made) });
    held.open();
    expect(await third).toEqual({ ...(await first), replayed: true });
    expect(made).toHaveLength(1);
  });

  it('passes to the next request when its holder died, and the dead one can write no more', async () => {
    const scope = newScope();
    const claims: Claim[] = [];
    const taken = createGate();
    // The holder that never comes back: its promise is left alone.
    void open({ leaseMs: 50 }).run(
      scope,
      {},
      {
        replay,
        work: (claim) => {
          claims.push(claim);
          taken.open();
          return new Promise<never>(() => {});
        },
      },
    );
    await taken.opened;
    const made: string[] = [];
    await open().run(scope, {}, { replay, work: make(made) });
    expect(made).toHaveLength(1);
    const [dead] = claims;
    const late = database().inTransaction(async (db) => dead?.bind(db, random.uuid()));
    await expect(late).rejects.toMatchObject({ code: 'REQUEST_IN_PROGRESS' });
    expect(await open().findReplay(scope, {})).toBe(made[0]);
  });
});

describe('a payload hash', () => {
  it('does not see the order of fields, and sees everything else', () => {
    expect(payloadHash({ a: 1, b: { c: 2, d: [3, 4] } })).toBe(
      payloadHash({ b: { d: [3, 4], c: 2 }, a: 1, e: undefined }),
    );
    expect(payloadHash({ a: '1' })).not.toBe(payloadHash({ a: 1 }));
    expect(payloadHash({ a: [1, 2] })).not.toBe(payloadHash({ a: [2, 1] }));
  });
});

const isLapsed = (rows: unknown): boolean =>
  Array.isArray(rows) && rows.some((row: { readonly isFree?: boolean }) => row.isFree === true);

/** A client of the database that runs `meet` once, after it has read a key whose lease lapsed. */
const meetAfterRead = (meet: () => Promise<void>): Database['db'] => {
  let hasMet = false;
  return new Proxy(database().db, {
    get(target, name, receiver) {
      const found: unknown = Reflect.get(target, name, receiver);
      if (name !== '$queryRaw' || typeof found !== 'function') return found;
      return async (...statement: unknown[]) => {
        const rows: unknown = await Reflect.apply(found, target, statement);
        if (!hasMet && isLapsed(rows)) {
          hasMet = true;
          await meet();
        }
        return rows;
      };
    },
  });
};

describe('a request that outlives its lease', () => {
  const leaseMs = 50;

  it('binds its resource between the read and the takeover of the next, which resumes it', async () => {
    const scope = newScope();
    const first = createGate();
    const reachedWork = createGate();
    const firstId = random.uuid();
    const late = open({ leaseMs }).run(
      scope,
      {},
      {
        replay,
        async work(claim) {
          reachedWork.open();
          await first.opened;
          await database().inTransaction((db) => claim.bind(db, firstId));
          return { id: firstId, replayed: false };
        },
      },
    );
    await reachedWork.opened;

    const db = meetAfterRead(async () => {
      first.open();
      await late;
    });
    const next = createIdempotency({ db, random, timers: createTimers(), waitMs: 5000 });
    const resumed = await next.run(
      scope,
      {},
      {
        replay,
        async work(claim, resourceId) {
          if (resourceId === undefined) return make([])(claim);
          await claim.finish(database().db);
          return { id: resourceId, replayed: false };
        },
      },
    );
    expect(resumed.id).toBe(firstId);
    expect(await open().findReplay(scope, {})).toBe(firstId);
  });

  it('writes nothing once the next one has the key', async () => {
    const scope = newScope();
    const first = createGate();
    const reachedWork = createGate();
    const late = open({ leaseMs }).run(
      scope,
      {},
      {
        replay,
        async work(claim) {
          reachedWork.open();
          await first.opened;
          return make([])(claim);
        },
      },
    );
    const refusal = late.catch((error: unknown) => error);
    await reachedWork.opened;
    const made: string[] = [];
    const next = await open().run(scope, {}, { replay, work: make(made) });
    first.open();
    expect(await refusal).toMatchObject({ code: 'REQUEST_IN_PROGRESS' });
    expect(made).toEqual([next.id]);
    expect(await open().findReplay(scope, {})).toBe(next.id);
  });

  it('is never bound to a second resource, not even by its own holder', async () => {
    const scope = newScope();
    const ids = [random.uuid(), random.uuid()];
    const twice = open().run(
      scope,
      {},
      {
        replay,
        async work(claim) {
          for (const id of ids) await database().inTransaction((db) => claim.bind(db, id));
          return { id: '', replayed: false };
        },
      },
    );
    await expect(twice).rejects.toMatchObject({ code: 'REQUEST_IN_PROGRESS' });
    const resumed = await open().run(
      scope,
      {},
      {
        replay,
        work: async (_claim, resourceId) => ({ id: resourceId ?? '', replayed: false }),
      },
    );
    expect(resumed.id).toBe(ids[0]);
  });
});
