import { bearerCaller } from '#test/support/caller.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { operatorId } from '#test/support/reviewed-buys.ts';
import { addMs } from '../../src/platform/clock/clock.ts';
import { dispute, placeHeard, settleGold, type RacedBuy } from './buys.races.ts';
import { answerOf, createRace, type Operation } from './race.ts';

/** A reward, and the first buy of the customer who used the code. */
interface RacedReward {
  readonly id: string;
  readonly buy: RacedBuy;
}
type RewardOperation = Operation<OpenGold, RacedReward>;

const weekMs = 7 * 86_400_000;

/** The operator who is asked, once for the ground. */
const addOperator = async ({ database: { db }, clock }: OpenGold): Promise<void> => {
  const at = clock.now();
  const stamps = { createdAt: at, updatedAt: at };
  const account = { email: 'finance@example.test', passwordHash: '-', role: 'SUPER_ADMIN' };
  await db.adminUser.createMany({
    data: [{ id: operatorId, ...account, ...stamps }],
    skipDuplicates: true,
  });
};

const settle: RewardOperation = async (open) => {
  await open.settleRewards.run(new AbortController().signal);
  return 'done';
};

const step =
  (name: 'approve' | 'withdraw' | 'paid', reference = 'UTR1'): RewardOperation =>
  async (open, { id }) => {
    const body = name === 'paid' ? { reference } : undefined;
    const call = bearerCaller(open.operatorUrl, operatorId);
    return answerOf(await call('POST', `/referrals/rewards/${id}/${name}`, body));
  };

/** A code was used, and the first buy has its gold. */
const bought = async (open: OpenGold): Promise<RacedReward> => {
  await addOperator(open);
  const referrer = await open.newCustomer();
  const { code } = (await referrer.call('GET', '/referrals/me')).body;
  const buy = await placeHeard(open);
  await buy.call('POST', '/referrals/apply', { code });
  await open.allocate(buy.id);
  const { id } = await open.database.db.referralReward.findFirstOrThrow({
    where: { userId: referrer.id },
  });
  return { id, buy };
};

const due = async (open: OpenGold): Promise<RacedReward> => {
  const made = await bought(open);
  open.clock.set(addMs(open.clock.now(), weekMs));
  return made;
};

const earned = async (open: OpenGold): Promise<RacedReward> => {
  const made = await due(open);
  await settle(open, made);
  return made;
};

const approved = async (open: OpenGold): Promise<RacedReward> => {
  const made = await earned(open);
  await step('approve')(open, made);
  return made;
};

const stateOf = async (open: OpenGold, { id, buy }: RacedReward): Promise<string> => {
  const { db } = open.database;
  const reward = await db.referralReward.findUniqueOrThrow({ where: { id } });
  const order = await db.goldOrder.findUniqueOrThrow({ where: { id: buy.id } });
  const told = await db.notification.count({
    where: { userId: reward.userId, type: 'referral_reward' },
  });
  const audited = await db.auditLog.count({ where: { targetId: id } });
  return [
    `${reward.status} of ${String(reward.amountPaise)}`,
    `${order.status} ${order.manualReviewCode ?? ''}`.trim(),
    `told x${told}, audited x${audited}`,
  ].join('; ');
};

const rewardRace = (
  name: string,
  prepare: (open: OpenGold) => Promise<RacedReward>,
  operations: Readonly<Record<string, RewardOperation>>,
) =>
  createRace<OpenGold, RacedReward>('rewards', {
    name,
    prepare,
    row: ({ id }) => ['SELECT 1 FROM referral_reward WHERE id = $1::uuid FOR UPDATE', id],
    operations,
    settle: settleGold,
    state: stateOf,
  });

const reversal: RewardOperation = (open, { buy }) => dispute(open, buy);

export const rewardRaces = [
  rewardRace('a reward that is due', due, {
    'settle sweep': settle,
    approve: step('approve'),
    reversal,
  }),
  rewardRace('a reward that is earned', earned, {
    approve: step('approve'),
    paid: step('paid'),
    'settle sweep': settle,
    reversal,
  }),
  rewardRace('a reward that is approved', approved, {
    paid: step('paid'),
    'paid by another transfer': step('paid', 'UTR2'),
    withdraw: step('withdraw'),
    'settle sweep': settle,
    reversal,
  }),
];
