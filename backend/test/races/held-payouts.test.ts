import { describe } from 'vitest';
import { noHolds } from '../../src/modules/payouts/index.ts';
import { payoutTest } from '#test/support/payout-test.ts';
import { groundOf, heldPayoutRaces } from './payouts.races.ts';

const it = payoutTest({ holds: { ...noHolds, newAccountHours: 24 } });

describe.each(heldPayoutRaces)('$name', (race) => {
  it.for(race.pairs)('%s beside %s', ([first, second], { open }) =>
    race.meets(groundOf(open), first, second),
  );
});
