import { describe } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import { saleRaces } from './sales.races.ts';

const it = goldTest();

describe.each(saleRaces)('$name', (race) => {
  it.for(race.pairs)('%s beside %s', ([first, second], { open }) =>
    race.meets(open, first, second),
  );
});
