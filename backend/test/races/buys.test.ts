import { describe } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import { buyRaces } from './buys.races.ts';

const it = goldTest();

describe.each(buyRaces)('$name', (race) => {
  it.for(race.pairs)('%s beside %s', ([first, second], { open }) =>
    race.meets(open, first, second),
  );
});
