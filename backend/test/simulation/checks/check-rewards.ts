import type { Buy, World } from '../model/world.ts';
import { Refuted } from '../story.ts';
import type { RewardRow, Snapshot } from './read-snapshot.ts';

const waitMs = 7 * 86_400_000;
const rewardPaise = 10_000;

/** Returns true for a buy whose payment or gold went back, or may have. */
const mayHaveGoneBack = (buy: Buy): boolean =>
  buy.resolutions.includes('RECOVER') || buy.payments.some((one) => one.reversedPaise > 0);

/** Returns true for a buy with a single captured payment whose reversal the service knows. */
const hasGoneBack = (buy: Buy): boolean => {
  const captured = buy.payments.filter(({ outcome }) => outcome === 'captured');
  const [only] = captured;
  return captured.length === 1 && only?.reversalTold === true && only.reversedPaise > 0;
};

const firstBuyOf = (seen: Snapshot, userId: string): string | undefined => {
  const own = [...seen.orders.values()].filter(
    ({ user, type, hasGold }) => user === userId && type !== 'SELL' && hasGold,
  );
  return own.toSorted((a, b) => Number(a.allocatedAt) - Number(b.allocatedAt))[0]?.id;
};

const checkReward = (reward: RewardRow, world: World, seen: Snapshot, isAtRest: boolean): void => {
  const fail = (detail: string): never => {
    throw new Refuted('reward', `${detail}: ${JSON.stringify(reward)}`);
  };
  const { status, order, boughtAt, amount } = reward;
  if (order === null || boughtAt === null) {
    if (status !== 'PENDING') fail('was not earned by a buy');
    if (firstBuyOf(seen, reward.referee) !== undefined) fail('does not know of the first buy');
    return;
  }
  const bought = seen.orders.get(order);
  const at = seen.orders.get(firstBuyOf(seen, reward.referee) ?? '')?.allocatedAt;
  if (bought?.user !== reward.referee || bought.allocatedAt !== at) {
    fail('is of another buy than the first');
  }
  const buy = world.buys.find(({ id }) => id === order);
  if (buy === undefined) return fail('is of no buy');
  if (status === 'REVERSED' && !mayHaveGoneBack(buy)) fail('is reversed, and its buy stands');
  const isEarned = ['EARNED', 'APPROVED', 'PAID'].includes(status);
  if (isEarned && (world.now - boughtAt < waitMs || amount !== rewardPaise)) {
    fail('is earned before its time, or with another amount');
  }
  if (!isAtRest) return;
  const isDue = world.now - boughtAt >= waitMs && bought?.status === 'ALLOCATED';
  if (isDue && status === 'PENDING') fail('at rest: is due and was not earned');
  if (hasGoneBack(buy) && !['REVERSED', 'PAID'].includes(status)) {
    fail('at rest: the money of its buy went away');
  }
};

/** Checks the rewards of referrals against the buys that earned them. */
export const checkRewards = (world: World, seen: Snapshot, isAtRest: boolean): void => {
  for (const reward of seen.rewards.values()) checkReward(reward, world, seen, isAtRest);
};
