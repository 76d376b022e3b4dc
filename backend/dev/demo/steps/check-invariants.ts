import { withConnection } from '../../stack/database-setup.ts';
import {
  atOneMoment,
  databaseRules,
  findBrokenRules,
  readMoneyPlaces,
} from '../../../src/modules/reconciliation/index.ts';
import type { Step } from '../demo.types.ts';
import { showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';

/** The one step that looks behind the APIs: over everybody's data, not this customer's alone. */
export const checkInvariants: Step = {
  title: 'The invariants hold over the whole database',
  run: ({ endpoints }) =>
    withConnection(endpoints.database, async (client) => {
      const [broken, money] = await atOneMoment(client, async () => [
        await findBrokenRules(client),
        await readMoneyPlaces(client),
      ]);
      const [first] = broken;
      const row = JSON.stringify(first?.row);
      expectThat(first === undefined, `${broken.length} rows break a rule; ${first?.says}: ${row}`);
      const { captured, allocated, awaitingAllocation, underReview, unmatched, reversed } = money;
      const placed = allocated + awaitingAllocation + underReview + unmatched + reversed;
      expectThat(placed === captured, `${captured} paise were captured, ${placed} have a place`);
      return [
        `${databaseRules.length} of ${databaseRules.length} rules hold`,
        `captured ${showPaise(captured)} = allocated ${showPaise(allocated)}` +
          ` + awaiting ${showPaise(awaitingAllocation)} + under review ${showPaise(underReview)}` +
          ` + unmatched ${showPaise(unmatched)} + reversed ${showPaise(reversed)}`,
      ];
    }),
};
