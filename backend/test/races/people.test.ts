import { describe } from 'vitest';
import { customerApiTest } from '#test/support/customer-api-test.ts';
import { accountRaces, goodsRaces } from './goods.races.ts';
import { groundOf, peopleRaces, shopRaces } from './people.races.ts';

const it = customerApiTest();

describe.each(peopleRaces)('$name', (race) => {
  it.for(race.pairs)('%s beside %s', ([first, second], { open }) =>
    race.meets(groundOf(open), first, second),
  );
});

describe.each(shopRaces)('$name', (race) => {
  it.for(race.pairs)('%s beside %s', ([first, second], { open }) =>
    race.meets(groundOf(open), first, second),
  );
});

describe.each(goodsRaces)('$name', (race) => {
  it.for(race.pairs)('%s beside %s', ([first, second], { open }) =>
    race.meets(groundOf(open), first, second),
  );
});

describe.each(accountRaces)('$name', (race) => {
  it.for(race.pairs)('%s beside %s', ([first, second], { open }) =>
    race.meets(groundOf(open), first, second),
  );
});
