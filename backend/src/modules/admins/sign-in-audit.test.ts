import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCaller } from '#test/support/caller.ts';
import { createFactories, type Factories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { serveAdminApi } from '#test/support/serve-apis.ts';
import { createRefusalSweep } from '../audit/index.ts';

const minuteMs = 60_000;

let system: TestSystem;
let make: Factories;
let url: string;

beforeAll(async () => {
  system = await openTestSystem();
  make = createFactories(system);
  ({ url } = await serveAdminApi(system));
});

afterAll(async () => system.close());

/** Calls the routes from an address, with a request id. */
const from = (ip: string, requestId: string) =>
  createCaller(url, { 'x-forwarded-for': ip, 'x-request-id': requestId });
/** The audit rows of an address, in the order of writing. */
const rowsOf = (ip: string) =>
  system.db.auditLog.findMany({ where: { ip }, orderBy: { seq: 'asc' } });
const writeRefusals = () => createRefusalSweep(system).run(new AbortController().signal);

describe('the audit of sign-ins', () => {
  it('has the refused sign-ins of an address even if those of another cannot be written', async () => {
    const [bad, good] = ['198.51.100.31', '198.51.100.32'] as const;
    const body = { email: 'nobody@example.test', password: 'a secret that was typed' };
    for (const ip of [bad, bad, good, good]) await from(ip, 'r')('POST', '/auth/login', body);
    system.clock.advance(minuteMs);
    const record: typeof system.audit.record = (tx, entry) => {
      if (entry.ip === bad) throw new Error('this one cannot be written');
      return system.audit.record(tx, entry);
    };
    const failing = createRefusalSweep({ ...system, audit: { record } });
    await failing.run(new AbortController().signal);
    expect((await rowsOf(good)).map(({ after }) => after)).toContainEqual(
      expect.objectContaining({ further: 1 }),
    );
    expect(await rowsOf(bad)).toHaveLength(1);
    await writeRefusals();
    expect(await rowsOf(bad)).toHaveLength(2);
  });

  it('has a row of each sign-in, with the actor and the address', async () => {
    const { adminId, email, password } = await make.admin('SUPPORT');
    await from('198.51.100.21', 'sign-in-1')('POST', '/auth/login', { email, password });
    const row = { actorId: adminId, actorEmail: email, actorRole: 'SUPPORT', outcome: 'DONE' };
    expect(await rowsOf('198.51.100.21')).toMatchObject([
      { action: 'admin.sign_in', actorApi: 'admin', requestId: 'sign-in-1', ...row },
    ]);
  });

  it('has the first refusal of an address and minute at once, and one row for the others', async () => {
    const ip = '198.51.100.22';
    system.clock.advance(minuteMs - (system.clock.now().getTime() % minuteMs));
    const emails = ['One@example.test', 'two@example.test', 'one@example.test'];
    for (const [n, email] of emails.entries()) {
      const body = { email, password: 'a secret that was typed' };
      await from(ip, `refused-${n}`)('POST', '/auth/login', body);
    }
    const code = 'INVALID_CREDENTIALS';
    const one = { code, emailHash: system.blindIndex('email', 'one@example.test') };
    const two = { code, emailHash: system.blindIndex('email', 'two@example.test') };
    const first = { action: 'admin.sign_in_refused', outcome: 'REFUSED', requestId: 'refused-0' };
    expect(await rowsOf(ip)).toMatchObject([{ ...first, actorEmail: null, after: one }]);
    const minute = system.clock.now().toISOString();
    await writeRefusals();
    expect(await rowsOf(ip)).toHaveLength(1);
    system.clock.advance(minuteMs);
    await Promise.all([writeRefusals(), writeRefusals()]);
    const rows = await rowsOf(ip);
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatchObject({ ...first, after: { minute, further: 2, refused: [one, two] } });
    const text = JSON.stringify(rows.map(({ seq: _seq, ...row }) => row));
    expect(text).not.toMatch(/example\.test|typed/u);
  });

  it("has the connection's address if the forwarded one is not an address", async () => {
    const { email, password } = await make.admin('SUPPORT');
    await from('not an address', 'sign-in-2')('POST', '/auth/login', { email, password });
    const row = await system.db.auditLog.findFirst({ where: { requestId: 'sign-in-2' } });
    expect(row?.ip).toBe('127.0.0.1');
  });
});
