import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caller } from '#test/support/caller.ts';
import { openApis, type OpenApis } from '#test/support/open-apis.ts';
import { createNotify, type Notify } from './index.ts';

let open: OpenApis;
let notify: Notify;
beforeAll(async () => {
  open = await openApis();
  notify = createNotify(open.system);
});
afterAll(() => open.close());

const write = async (userId: string, titles: readonly string[]): Promise<void> => {
  for (const title of titles) {
    const orderId = open.system.random.uuid();
    const row = { userId, type: 'buy_success', title, body: 'Gold.', data: { orderId } } as const;
    await notify(open.system.db, row);
    open.system.clock.advance(1000);
  }
};

interface Item {
  readonly id: string;
  readonly title: string;
  readonly read: boolean;
}
const itemsOf = async (call: Caller, query = ''): Promise<Item[]> =>
  // The response was checked against its schema.
  (await call('GET', `/notifications${query}`)).body['items'] as Item[];

it('the API lists notifications newest first, by pages, only to their customer', async () => {
  const { userId, call } = await open.customer();
  const stranger = await open.customer();
  await write(userId, ['one', 'two', 'three']);
  const { status, body } = await call('GET', '/notifications?limit=2');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    total: 3,
    page: 1,
    limit: 2,
    items: [
      { title: 'three', type: 'buy_success', body: 'Gold.', read: false },
      { title: 'two', data: { orderId: expect.any(String) } },
    ],
  });
  expect((await itemsOf(call, '?limit=2&page=2')).map(({ title }) => title)).toEqual(['one']);
  expect((await stranger.call('GET', '/notifications')).body).toMatchObject({
    total: 0,
    items: [],
  });
  expect((await open.as()('GET', '/notifications')).status).toBe(401);
});

it('the API marks a notification as read, and keeps the first time', async () => {
  const { userId, call } = await open.customer();
  await write(userId, ['one', 'two']);
  const [newest] = await itemsOf(call);
  const path = `/notifications/${newest?.id}/read`;
  const first = await call('PATCH', path);
  expect(first).toMatchObject({ status: 200, body: { id: newest?.id, read: true } });
  const where = { id: newest?.id ?? '' };
  const readAt = async () =>
    (await open.system.db.notification.findUniqueOrThrow({ where })).readAt?.toISOString();
  const before = await readAt();
  open.system.clock.advance(60_000);
  expect(await call('PATCH', path)).toMatchObject({ status: 200, body: first.body });
  expect(await readAt()).toBe(before);
  expect((await itemsOf(call)).map(({ read }) => read)).toEqual([true, false]);
});

it("the API answers 404 for another customer's, an unknown and a malformed id", async () => {
  const { userId, call } = await open.customer();
  const stranger = await open.customer();
  await write(userId, ['one']);
  const [own] = await itemsOf(call);
  for (const id of [own?.id, open.system.random.uuid(), 'one']) {
    expect(await stranger.call('PATCH', `/notifications/${id}/read`)).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    });
  }
  expect((await itemsOf(call)).map(({ read }) => read)).toEqual([false]);
});

it('the API counts unread notifications, and marks all that were shown as read', async () => {
  const { userId, call } = await open.customer();
  const stranger = await open.customer();
  await write(stranger.userId, ['theirs']);
  await write(userId, ['one', 'two', 'three']);
  const unread = async () => (await call('GET', '/notifications/unread-count')).body;
  expect(await unread()).toEqual({ unread: 3 });
  const { body } = await call('GET', '/notifications?limit=2&page=2');
  // The response was checked against its schema.
  const [oldest] = body['items'] as { createdAt: string }[];
  const until = oldest?.createdAt;
  expect(await call('POST', '/notifications/read-all', { until })).toMatchObject({
    status: 200,
    body: { read: 1 },
  });
  expect((await itemsOf(call, '?unread=true')).map(({ title }) => title)).toEqual(['three', 'two']);
  expect((await itemsOf(call, '?unread=false')).map(({ title }) => title)).toEqual(['one']);
  expect((await call('POST', '/notifications/read-all', {})).body).toEqual({ read: 2 });
  expect((await call('POST', '/notifications/read-all', {})).body).toEqual({ read: 0 });
  expect(await unread()).toEqual({ unread: 0 });
  expect((await stranger.call('GET', '/notifications/unread-count')).body).toEqual({ unread: 1 });
});

it('the API lists the notifications between two times', async () => {
  const { userId, call } = await open.customer();
  await write(userId, ['one', 'two', 'three']);
  const all = (await call('GET', '/notifications')).body['items'] as { createdAt: string }[];
  const [to, from] = all.map(({ createdAt }) => createdAt);
  const query = `?from=${from}&to=${to}`;
  expect((await itemsOf(call, query)).map(({ title }) => title)).toEqual(['two']);
  expect((await call('GET', `/notifications?from=yesterday`)).status).toBe(400);
});

it('the API has no preferences yet', async () => {
  const { call } = await open.customer();
  for (const method of ['GET', 'POST']) {
    expect(await call(method, '/notifications/preferences', undefined)).toMatchObject({
      status: 501,
      code: 'NOT_IMPLEMENTED',
    });
  }
  expect((await open.as()('GET', '/notifications/preferences')).status).toBe(401);
});
