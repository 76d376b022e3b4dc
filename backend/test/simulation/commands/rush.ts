import type { Customer } from '../model/world.ts';
import type { Arguments, Command, Story } from '../story.ts';
import type { Decisions } from '../seeded-random.ts';
import { countedToday } from './buys.ts';
import { together } from './together.ts';

const isThere = ({ deleted, blocked, kyc }: Customer): boolean =>
  !deleted && !blocked && kyc === 'APPROVED';

const both = (name: string, story: Story, given: Arguments): Arguments => ({
  leftName: name,
  left: { ...given, k: story.nextKey },
  rightName: name,
  right: { ...given, k: story.nextKey + 500_000 },
});

/** A customer sells everything twice, although the balance is enough for one sale. */
const sellTwice = (story: Story, { pick }: Decisions): Arguments | undefined => {
  const sellers = story.world.customers.flatMap((customer, c) => {
    const a = customer.accounts.findIndex(({ status }) => status === 'VERIFIED');
    const amount = customer.balance - customer.reserved;
    return isThere(customer) && a >= 0 && amount > 20 ? [{ c, a, unit: 'GRAMS', amount }] : [];
  });
  const chosen = pick(sellers);
  return chosen === undefined ? undefined : both('sell', story, chosen);
};

/**
 * A customer buys twice for more than half of the day's remaining limit, which allows one of them.
 */
const buyTwice = (story: Story, { pick }: Decisions): Arguments | undefined => {
  const { customers, limits } = story.world;
  const buyers = customers.flatMap((customer, c) => {
    const left = limits.dailyBuyPaise - countedToday(story.world, c).most;
    const amount = Math.floor(left * 0.6);
    const isFit = amount <= limits.maxBuyPaise && amount > 10 * limits.minBuyPaise;
    return isThere(customer) && isFit ? [{ c, unit: 'INR', amount, gateway: '' }] : [];
  });
  const chosen = pick(buyers);
  return chosen === undefined ? undefined : both('buy', story, chosen);
};

/** A customer makes two requests at the same time, of which only one can succeed. */
export const rush: Command = {
  name: 'rush',
  choose: (story, decisions) =>
    decisions.percent(60)
      ? (buyTwice(story, decisions) ?? sellTwice(story, decisions))
      : (sellTwice(story, decisions) ?? buyTwice(story, decisions)),
  prepare: (story, given) => together.prepare(story, given),
};
