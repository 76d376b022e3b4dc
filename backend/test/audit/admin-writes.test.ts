import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCaller, type Answer } from '#test/support/caller.ts';
import type { MadeAdmin } from '#test/support/factories.ts';
import { openAdminApi, type OpenAdminApi } from '#test/support/open-admin-api.ts';
import { openAuditFixture, type AuditFixture } from './audit-fixture.ts';
import type { AdminWrite } from './admin-write.ts';
import { adminWrites } from './admin-writes.ts';

const ip = '203.0.113.7';

let open: OpenAdminApi;
let fixture: AuditFixture;
let superAdmin: MadeAdmin;

beforeAll(async () => {
  open = await openAdminApi();
  fixture = await openAuditFixture(open);
  superAdmin = await fixture.factories.admin('SUPER_ADMIN');
});
afterAll(async () => {
  await fixture.close();
  await open.close();
});

let requests = 0;
/** Sends a request under a new id. Returns its audit rows, too. */
const send = async (token: string | undefined, method: string, path: string, body?: unknown) => {
  const requestId = `write-${(requests += 1)}`;
  const call = createCaller(open.url, {
    'x-request-id': requestId,
    'x-forwarded-for': ip,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  });
  const answer = await call(method, path, body);
  return { requestId, answer, rows: await auditedOf(requestId) };
};

const auditedOf = async (requestId: string) => {
  const rows = await open.system.db.auditLog.findMany({
    where: { requestId },
    orderBy: { seq: 'asc' },
  });
  return rows.filter(({ outcome }) => outcome === 'DONE');
};

/** Rows as operators see them, sealed parts opened, oldest first. */
const shownOf = async (requestId: string): Promise<Readonly<Record<string, unknown>>[]> => {
  const call = createCaller(open.url, { authorization: `Bearer ${superAdmin.token}` });
  const { body } = await call('GET', `/audit?requestId=${requestId}`);
  return (body['items'] as Readonly<Record<string, unknown>>[]).toReversed();
};

const expectParts = (
  { before, after }: Readonly<Record<string, unknown>>,
  parts: AdminWrite['parts'],
): void => {
  if (parts === 'none') return;
  expect(after, 'after').toEqual(expect.any(Object));
  if (parts === 'after') return;
  expect(before, 'before').toEqual(expect.any(Object));
  expect(before, 'a change').not.toEqual(after);
};

const expectRefused = (refused: { answer: Answer; rows: unknown[] }, status: number): void => {
  expect(refused.answer.status).toBe(status);
  expect(refused.rows).toEqual([]);
};

it('the audit log has an entry for every route that writes, and for no other', () => {
  const routes = open.api.definition.routes.filter(({ method }) => method !== 'GET');
  const names = routes.map(({ method, path }) => `${method} ${path}`);
  expect(Object.keys(adminWrites).toSorted()).toEqual(names.toSorted());
});

describe.each(Object.entries(adminWrites))('%s', (name, write) => {
  const [method = ''] = name.split(' ');
  const isPublic = name === 'POST /auth/login';

  it('the audit log has the rows of each write in its own request, and none of a refused one', async () => {
    const { path, body, by = superAdmin } = await write.prepare(fixture);
    if (!isPublic) expectRefused(await send(undefined, method, path, body), 401);
    if (write.bad !== undefined) {
      expectRefused(await send(superAdmin.token, method, path, write.bad.body), write.bad.status);
    }
    const token = isPublic ? undefined : by.token;
    const done = await send(token, method, path, body);
    expect(done.answer).toMatchObject({ status: write.status });
    expect(done.rows.map(({ action }) => action)).toEqual(write.actions);
    const doer = await open.system.db.adminUser.findFirstOrThrow({
      where: { email: isPublic ? String(Object(body).email) : by.email },
    });
    for (const row of done.rows) {
      expect(row).toMatchObject({ actorApi: 'admin', requestId: done.requestId, ip });
      expect(row).toMatchObject({ actorId: doer.id, actorEmail: doer.email });
    }
    for (const shown of await shownOf(done.requestId)) expectParts(shown, write.parts);
    if (write.again !== undefined) {
      expectRefused(await send(token, method, path, body), write.again);
    }
  });
});

it('the audit log shows the operator of a status of jewellery in the history of its order', async () => {
  const id = await fixture.productOrder();
  const path = `/product-orders/${id}/status`;
  const { requestId } = await send(superAdmin.token, 'PATCH', path, { status: 'CONFIRMED' });
  const events = await open.system.db.productOrderEvent.findMany({ where: { orderId: id } });
  expect(events).toMatchObject([
    {
      fromStatus: 'PLACED',
      toStatus: 'CONFIRMED',
      actor: `admin:${superAdmin.adminId}`,
      requestId,
    },
  ]);
});

it('the audit log records a refused sign-in with its address, as a refusal', async () => {
  const body = { email: 'nobody@example.test', password: 'wrong' };
  await send(undefined, 'POST', '/auth/login', body);
  const refused = await open.system.db.auditLog.findMany({
    where: { action: 'admin.sign_in_refused' },
  });
  expect(refused).toMatchObject([{ outcome: 'REFUSED', actorId: null, ip }]);
});
