import { describe } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import { rewardRaces } from './rewards.races.ts';

const it = goldTest();

describe.each(rewardRaces)('$name', (race) => {
  it.for(race.pairs)('%s beside %s', ([first, second], { open }) =>
    race.meets(open, first, second),
  );
});
