import { describe } from 'vitest';
import { payoutTest } from '#test/support/payout-test.ts';
import { groundOf, payoutRaces } from './payouts.races.ts';

const it = payoutTest();

describe.each(payoutRaces)('$name', (race) => {
  it.for(race.pairs)('%s beside %s', ([first, second], { open }) =>
    race.meets(groundOf(open), first, second),
  );
});
