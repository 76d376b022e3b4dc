import type { Demo, Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import { until } from '../until.ts';
import { placeBuy } from './buy-gold.ts';
import { payAtCheckout, waitForOrder } from './pay-and-allocate.ts';
import { approvedCustomer } from './pay-wrong-amount.ts';
import { signInOperator } from './sign-in-operator.ts';

const buyFirst = async (demo: Demo, code: string) => {
  const friend = await approvedCustomer(demo, 'Ishaan Menon');
  await friend.api.post('/v1/referrals/apply', { body: { code } });
  const key = `demo-${demo.random.uuid()}`;
  const buy = await placeBuy(friend, { amount: '500', idempotency_key: key });
  await payAtCheckout(demo, buy.gatewayOrderId, { deliver: 'webhook' });
  await waitForOrder(demo, friend, buy.order.id, 'ALLOCATED');
  return { friend, order: buy.order };
};

/** A friend's first buy makes a reward, which is earned when the payment can't be taken back. */
export const shareCode: Step = {
  title: 'A friend buys with the customer’s code: a reward waits for its days',
  async run(demo) {
    const { api } = demo.readState('customer');
    const { code } = (await api.get('/v1/referrals/me')).body;
    const { friend, order } = await buyFirst(demo, code);
    const { operator } = await signInOperator(demo, 'SUPER_ADMIN');
    const rewards = await until({
      timers: demo.timers,
      seconds: 30,
      look: async () => (await operator.api.get('/v1/referrals/rewards')).body.items,
      isThere: (items) => items.some(({ orderId }) => orderId === order.id),
      otherwise: () => 'no reward names the order',
    });
    const reward = expectPresent(
      rewards.find(({ refereeUserId }) => refereeUserId === friend.userId),
      'reward of the friend',
    );
    expectThat(reward.status === 'PENDING', `the reward is ${reward.status}`);
    const path = { id: reward.id };
    const approve = operator.api.post('/v1/referrals/rewards/{id}/approve', { path });
    await expectRefusal(409, 'ILLEGAL_TRANSITION', approve);
    return [
      `code ${code}, applied before the friend's first buy`,
      'a reward for it: PENDING; an operator can’t approve it before it is earned, 409',
    ];
  },
};
