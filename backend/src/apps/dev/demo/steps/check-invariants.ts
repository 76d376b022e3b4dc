import { withConnection } from '../../database-setup.ts';
import { findBreaches, invariants } from '../../invariants/find-breaches.ts';
import type { AskDatabase } from '../../invariants/invariant.ts';
import { readMoneyPlaces } from '../../invariants/money-places.ts';
import type { Step } from '../demo.types.ts';
import { showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';

/** The one step that looks behind the APIs: over everybody's data, not this customer's alone. */
export const checkInvariants: Step = {
  title: 'The invariants hold over the whole database',
  run: ({ endpoints }) =>
    withConnection(endpoints.database, async (client) => {
      // The rows are of the columns that each question names.
      const ask: AskDatabase = async <Row>(sql: string) => (await client.query(sql)).rows as Row[];
      const breaches = await findBreaches(ask);
      const [first] = breaches;
      const found = `${breaches.length} breaches; ${first?.invariant ?? ''}: ${first?.breach ?? ''}`;
      expectThat(first === undefined, found);
      const money = await readMoneyPlaces(ask);
      const { captured, allocated, awaitingAllocation, underReview, unmatched } = money;
      const placed = allocated + awaitingAllocation + underReview + unmatched;
      expectThat(placed === captured, `${captured} paise were captured, ${placed} have a place`);
      return [
        `${invariants.length} of ${invariants.length} hold`,
        `captured ${showPaise(captured)} = allocated ${showPaise(allocated)}` +
          ` + awaiting ${showPaise(awaitingAllocation)} + under review ${showPaise(underReview)}` +
          ` + unmatched ${showPaise(unmatched)}`,
      ];
    }),
};
