import { allow, busy, numberOf, textOf, type Command } from '../story.ts';
import type { RewardRow, Snapshot } from '../checks/read-snapshot.ts';
import { chooseCustomer, customerOf } from './customers.ts';

const hasBought = (seen: Snapshot, userId: string): boolean =>
  [...seen.orders.values()].some(
    ({ user, type, hasGold }) => user === userId && type !== 'SELL' && hasGold,
  );

/** A customer uses the code of another customer, which may be their own or a second one. */
export const applyCode: Command = {
  name: 'apply-code',
  choose(story, { pick, int, percent }) {
    const { seen, world } = story;
    const isNew = (userId: string) => !hasBought(seen, userId) || percent(10);
    const c = chooseCustomer(story, pick, ({ userId }) => isNew(userId));
    return c === undefined ? undefined : { c, by: int(world.customers.length) };
  },
  prepare({ sessions, world, seen }, given) {
    const customer = customerOf(world, given);
    const by = numberOf(given, 'by');
    const code = world.customers[by]?.referralCode;
    if (customer === undefined || code === undefined) return undefined;
    return {
      call: () => sessions.customer(customer.phone, 'POST', '/v1/referrals/apply', { code }),
      judge(changed, answer) {
        const c = numberOf(given, 'c');
        const own = customerOf(changed, given);
        const isUsed =
          hasBought(seen, customer.userId) ||
          changed.referrals.some(({ referee }) => referee === c);
        const refusal =
          own === undefined || own.deleted || own.blocked
            ? '401 UNAUTHENTICATED'
            : changed.customers[by]?.deleted === true
              ? '404 NOT_FOUND'
              : by === c
                ? '400 VALIDATION_FAILED'
                : isUsed
                  ? '409 CONFLICT'
                  : undefined;
        allow('referral code', answer, [refusal ?? '200', ...busy]);
        if (answer.status === 200) changed.referrals.push({ referrer: by, referee: c });
      },
    };
  },
};

const steps = ['approve', 'approve', 'withdraw', 'paid', 'paid'] as const;

/** The status that a reward must have for each step of an operator. */
const requiredStatus: Readonly<Record<string, string>> = {
  approve: 'EARNED',
  withdraw: 'APPROVED',
  paid: 'APPROVED',
};

/** Returns true if the buy of a reward has its gold, and its order is not under review. */
const stands = (seen: Snapshot, { order }: RewardRow): boolean =>
  seen.orders.get(order ?? '')?.status === 'ALLOCATED';

/** An operator approves a reward, withdraws the approval, or records that it was paid. */
export const moveReward: Command = {
  name: 'move-reward',
  choose({ seen }, { int, pick, percent }) {
    const rewards = [...seen.rewards.values()];
    if (rewards.length === 0) return undefined;
    const step = pick(steps) ?? 'approve';
    const fitting = rewards.findIndex(({ status }) => status === requiredStatus[step]);
    const w = fitting >= 0 && percent(80) ? fitting : int(rewards.length);
    return { w, step, role: percent(70) ? 'SUPER_ADMIN' : 'ADMIN' };
  },
  prepare({ sessions, seen }, given) {
    const reward = [...seen.rewards.values()][numberOf(given, 'w')];
    if (reward === undefined) return undefined;
    const step = textOf(given, 'step');
    const role = textOf(given, 'role') === 'ADMIN' ? 'ADMIN' : 'SUPER_ADMIN';
    const path = `/v1/referrals/rewards/${reward.id}/${step}`;
    const body = step === 'paid' ? { reference: 'as the story says' } : undefined;
    return {
      call: () => sessions.operator(role, 'POST', path, body),
      judge(changed, answer) {
        const isAllowed = role === 'SUPER_ADMIN' || step !== 'paid';
        const fits = reward.status === requiredStatus[step];
        const isStanding = step === 'withdraw' || stands(seen, reward);
        const buy = changed.buys.find(({ id }) => id === reward.order);
        // The service may have stored the reversal before it changes the order.
        const mayBeGone = buy?.payments.some(({ reversedPaise }) => reversedPaise > 0) === true;
        const refused = '409 ILLEGAL_TRANSITION';
        const usual = fits && isStanding ? ['200', ...(mayBeGone ? [refused] : [])] : [refused];
        allow(`${step} of a reward`, answer, [...(isAllowed ? usual : ['403 FORBIDDEN']), ...busy]);
      },
    };
  },
};
