import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { bearerCaller, createCaller, type Caller } from '#test/support/caller.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFactories, type Factories } from '#test/support/factories.ts';
import { createGate } from '#test/support/gate.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { createAdmins } from './index.ts';

let system: TestSystem;
let make: Factories;
let url: string;
let nobody: Caller;
let count = 0;

beforeAll(async () => {
  system = await openTestSystem();
  make = createFactories(system);
  const { adminRoutes: routes, guard } = createAdmins({ ...system, tokenTtlSeconds: 60 });
  url = await system.serve({ prefix: '/v1', routes, guard });
  nobody = bearerCaller(url);
});

beforeEach(() => {
  count += 1;
});

afterAll(async () => system.close());

const signIn = (email: string, password = 'wrong') =>
  nobody('POST', '/auth/login', { email, password });

const signInFrom = (
  ip: string,
  body: { email: string; password?: string; browserToken?: string },
) =>
  createCaller(url, { 'x-forwarded-for': ip })('POST', '/auth/login', {
    password: 'wrong',
    ...body,
  });

const addresses = ['198.51.100.1', '198.51.100.2', '198.51.100.3'] as const;

const stranger = (n: number): string => `stranger-${count}-${n}@example.test`;

const metric = async (name: string): Promise<number> => {
  const { body } = await system.metrics.text();
  const line = body.split('\n').find((each) => each.startsWith(name));
  return Number(line?.split(' ').at(-1));
};

interface Try {
  readonly email: string;
  readonly ip: string;
}

/** Locks the counts of these tries, so that their checks keep their places until the release. */
const holdCounts = async (tries: readonly Try[]): Promise<() => Promise<void>> => {
  const [inserted, gate] = [createGate(), createGate()];
  const touchedAt = system.clock.now();
  const holding = system.inTransaction(async (tx) => {
    await tx.adminLoginCaller.createMany({
      data: tries.map(({ email, ip }) => ({ email, caller: `address|${ip}`, touchedAt })),
    });
    inserted.open();
    await gate.opened;
  });
  await inserted.opened;
  return async () => {
    gate.open();
    await holding;
  };
};

/** Runs `work` while two sign-ins, which wait for their locked counts, take both places. */
const whilePlacesAreTaken = async (work: () => Promise<void>): Promise<void> => {
  const takers = [stranger(1001), stranger(1002)];
  const release = await holdCounts(takers.map((email) => ({ email, ip: '127.0.0.1' })));
  const taking = takers.map((email) => signIn(email));
  await eventually(async () => {
    const waiting = await system.db.$queryRaw<unknown[]>`
      SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    expect(waiting).toHaveLength(2);
  });
  await work();
  await release();
  for (const answer of await Promise.all(taking)) expect(answer).toMatchObject({ status: 401 });
};

it('the sign-in lets 28 strangers wait, and refuses others at once without counting them', async () => {
  const { email, password } = await make.admin();
  const { browserToken } = (await signIn(email, password)).body;
  const refusedBefore = await metric('password_checks_refused_total{reason="busy"');
  const crowd = Array.from({ length: 28 }, (_, n): Try => {
    return { email: stranger(n), ip: addresses[n % 3] ?? addresses[0] };
  });
  const release = await holdCounts(crowd);
  let waiting: ReturnType<typeof signIn>[] = [];
  const owner = { answer: undefined as ReturnType<typeof signIn> | undefined };
  await whilePlacesAreTaken(async () => {
    waiting = crowd.map(({ email: each, ip }) => signInFrom(ip, { email: each }));
    await eventually(async () => expect(await metric('password_checks_waiting')).toBe(28));
    for (let n = 0; n < 6; n += 1) {
      const answer = await signIn(email, password);
      expect(answer).toMatchObject({ status: 503, code: 'BUSY' });
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/u);
    }
    // A browser that signed in before finds a place.
    const known = { email, password, browserToken: String(browserToken) };
    owner.answer = signInFrom(addresses[0], known);
    await eventually(async () => expect(await metric('password_checks_waiting')).toBe(29));
  });
  // The known browser goes first. Two strangers would keep both places until the release.
  expect(await owner.answer).toMatchObject({ status: 200 });
  await eventually(async () => expect(await metric('password_checks_waiting')).toBe(26));
  await release();
  for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ status: 401 });
  expect(await signIn(email, password)).toMatchObject({ status: 200 });
  const refused = await metric('password_checks_refused_total{reason="busy"');
  expect(refused - refusedBefore).toBe(6);
  const audited = { action: 'admin.sign_in_refused', after: { path: ['code'], equals: 'BUSY' } };
  expect(await system.db.auditLog.count({ where: audited })).toBe(1);
  const counted = { ip: '127.0.0.1', refusals: { gt: 5 } };
  expect(await system.db.refusalCount.findFirst({ where: counted })).toMatchObject({
    details: expect.arrayContaining([expect.objectContaining({ code: 'BUSY' })]),
  });
});

it('the sign-in lets twenty clients of one address wait, and clients of other addresses too', async () => {
  const waiting: ReturnType<typeof signIn>[] = [];
  const [crowd, other] = addresses;
  await whilePlacesAreTaken(async () => {
    for (let n = 0; n < 20; n += 1) waiting.push(signInFrom(crowd, { email: stranger(n) }));
    await eventually(async () => expect(await metric('password_checks_waiting')).toBe(20));
    const oneMore = await signInFrom(crowd, { email: stranger(20) });
    expect(oneMore).toMatchObject({ status: 503, code: 'BUSY' });
    waiting.push(signInFrom(other, { email: stranger(21) }));
    await eventually(async () => expect(await metric('password_checks_waiting')).toBe(21));
  });
  for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ status: 401 });
});

it('the sign-in neither checks nor counts the password of a client that has disconnected', async () => {
  const email = stranger(1);
  const refusedBefore = await metric('password_checks_refused_total{reason="gone"');
  await whilePlacesAreTaken(async () => {
    const client = new AbortController();
    const asking = fetch(`${url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: 'wrong' }),
      signal: client.signal,
    });
    await eventually(async () => expect(await metric('password_checks_waiting')).toBe(1));
    client.abort();
    await expect(asking).rejects.toThrow('aborted');
    await eventually(async () => expect(await metric('password_checks_waiting')).toBe(0));
  });
  const refused = await metric('password_checks_refused_total{reason="gone"');
  expect(refused - refusedBefore).toBe(1);
  expect(await system.db.adminLoginCaller.count({ where: { email } })).toBe(0);
});
