import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createGate } from '#test/support/gate.ts';
import { openConnections } from '#test/support/open-connections.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { addMs, msBetween } from '../clock/clock.ts';
import { createDatabase, execute, selectRows, sql, sqlName, type Database } from '../db/index.ts';
import { isAppError } from '../errors/app-error.ts';
import { createLoginGuard, type LoginGuard } from './login-guard.ts';

let system: TestSystem;
/** As many processes as have a pool of their own. */
let processes: Database[];

beforeAll(async () => {
  system = await openTestSystem();
  // A connection for each of fifty tries: none waits for another to be done.
  processes = ['one', 'two'].map((applicationName) =>
    createDatabase({ url: system.addresses.databaseUrl, poolSize: 25, applicationName }),
  );
});

afterAll(async () => {
  await Promise.all(processes.map((each) => each.close()));
  await system.close();
});

const judge = async (
  guard: LoginGuard,
  { inTransaction }: Pick<Database, 'inTransaction'>,
  email: string,
) => {
  try {
    await guard.charge(inTransaction, email, caller);
    return 'judged';
  } catch (error) {
    if (isAppError(error, 'LOGIN_LOCKED')) return 'locked';
    throw error;
  }
};

const countWaiting = async (): Promise<number> => {
  const waiting = await selectRows(
    system.db,
    sql`
      SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return waiting.length;
};

const apis = ['admin', 'portal'] as const;
type Api = (typeof apis)[number];
const caller = { kind: 'stranger', id: 'address|198.51.100.1' } as const;

/** Inserts the row of an email, and commits it when `tries` stand waiting for it. */
const commitBelow = async <T>(
  api: Api,
  row: { email: string; lockedUntil: Date | null },
  start: () => Promise<T>,
  tries: number,
): Promise<T> => {
  const [inserted, gate] = [createGate(), createGate()];
  const { email, lockedUntil } = row;
  const inserting = system.inTransaction(
    async (tx) => {
      await execute(
        tx,
        sql`
        INSERT INTO ${sqlName(`${api}_login_caller`)} (email, caller, touched_at, locked_until)
        VALUES (${email}, ${caller.id}, ${system.clock.now()}, ${lockedUntil})`,
      );
      inserted.open();
      await gate.opened;
    },
    { timeoutMs: 30_000 },
  );
  await inserted.opened;
  const started = start();
  await eventually(async () => expect(await countWaiting()).toBe(tries));
  gate.open();
  await inserting;
  return started;
};

describe.each(apis)('the guard of the %s API', (api) => {
  it('the guard judges exactly five of fifty tries at once, from two processes', async () => {
    const guard = createLoginGuard({ api, clock: system.clock });
    const email = 'fifty@example.test';
    for (const each of processes) await openConnections(each, 25);
    const start = () =>
      Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          judge(guard, processes[n % 2] ?? system.database, email),
        ),
      );
    const answers = await commitBelow(api, { email, lockedUntil: null }, start, 50);
    expect(answers.filter((answer) => answer === 'judged')).toHaveLength(5);
  });

  it('the guard refuses a try that waited for the one which locked the email', async () => {
    const guard = createLoginGuard({ api, clock: system.clock });
    const email = 'waited@example.test';
    const lockedUntil = addMs(system.clock.now(), 30 * 60_000);
    const start = () => judge(guard, system.database, email);
    const answer = await commitBelow(api, { email, lockedUntil }, start, 1);
    expect(answer).toBe('locked');
  });

  it('the guard answers how long the lock still stands, and is open after it', async () => {
    const guard = createLoginGuard({ api, clock: system.clock });
    const email = 'locked@example.test';
    for (let tries = 0; tries < 5; tries += 1)
      await guard.charge(system.inTransaction, email, caller);
    system.clock.advance(10 * 60_000);
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(guard.charge(system.inTransaction, email, caller)).rejects.toMatchObject({
        code: 'LOGIN_LOCKED',
        headers: { 'retry-after': String(20 * 60) },
      });
    }
    system.clock.advance(20 * 60_000);
    await guard.charge(system.inTransaction, email, caller);
  });

  it('the guard locks at five within any 15 minutes, not only within those from the first on', async () => {
    const guard = createLoginGuard({ api, clock: system.clock });
    const email = 'sliding@example.test';
    const [start, minuteMs] = [system.clock.now(), 60_000];
    for (const minute of [0, 14, 14, 14, 15.5, 15 + 2 / 3]) {
      system.clock.advance(msBetween(system.clock.now(), addMs(start, minute * minuteMs)));
      expect(await judge(guard, system.database, email)).toBe('judged');
    }
    expect(await judge(guard, system.database, email)).toBe('locked');
  });
});
