import type { Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { expectPresent, expectThat } from '../step-failure.ts';

/** Reads what the notifications say of the story, and marks one as read, which it stays. */
export const readNotification: Step = {
  title: 'A notification is read',
  async run(demo) {
    const { api } = demo.readState('customer');
    const { id: orderId } = demo.readState('buy').order;
    const query = { limit: 100 };
    const { body: before } = await api.get('/v1/notifications', { query });
    const isOfBuy = ({ type, data }: (typeof before.items)[number]): boolean =>
      type === 'buy_success' && data['orderId'] === orderId;
    const bought = expectPresent(before.items.find(isOfBuy), 'notification of the buy');
    expectThat(!bought.read, 'it was read already');
    const options = { path: { id: bought.id } };
    for (let time = 0; time < 2; time += 1) {
      const { body } = await api.patch('/v1/notifications/{id}/read', options);
      expectThat(body.read, 'it is still unread');
    }
    const foreign = { path: { id: demo.random.uuid() } };
    const strange = api.patch('/v1/notifications/{id}/read', foreign);
    await expectRefusal(404, 'NOT_FOUND', strange);
    const { body: after } = await api.get('/v1/notifications', { query });
    const unread = after.items.filter(({ read }) => !read).length;
    expectThat(unread === before.items.length - 1, `${unread} are unread`);
    const { body: bell } = await api.get('/v1/notifications/unread-count');
    expectThat(bell.unread === unread, `the bell shows ${bell.unread}`);
    await api.post('/v1/notifications/read-all', { body: {} });
    const { body: quiet } = await api.get('/v1/notifications/unread-count');
    expectThat(quiet.unread === 0, `the bell still shows ${quiet.unread}`);
    return [
      `${bought.title}: ${bought.body}`,
      `${before.total} notifications, ${unread} of them unread; an unknown one: 404`,
      'the bell shows as many, and nothing once all are read',
    ];
  },
};
