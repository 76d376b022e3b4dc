import { sql } from '../../../platform/db/index.ts';
import { balanceDrifted, figuresOf } from '../drifted-holdings.ts';
import { findRows } from '../findings.ts';
import type { Check } from '../reconciliation.types.ts';
import { customersToProve } from '../window.ts';

/**
 * Finds balances that are not what was allocated less what was sold, of any customer, whenever they
 * were last here: the balance is the sum of all their movements, what the newest of them left, and
 * all their allocated orders less sold ones and what went to the house: forfeited or recovered. Read
 * are the customers of the window and those who changed since they were last proven: of the others
 * nothing has changed since (contract: operators > Reconciliation checks).
 */
export const holdingBalanceDrift: Check = {
  id: 'holding_balance_drift',
  title: 'A balance that is not what was allocated less what was sold',
  severity: 'critical',
  run: ({ read, from }) =>
    findRows(
      read,
      sql`
        SELECT updated_at AS since, user_id AS "userId", trim_scale(balance)::text AS balance,
          trim_scale(ordered_grams)::text AS "allocatedLessSold",
          trim_scale(moved_grams)::text AS "sumOfMovements",
          trim_scale(newest_grams)::text AS "newestMovementLeft"
        FROM (${figuresOf(customersToProve(from))}) AS figures
        WHERE ${balanceDrifted}`,
    ),
};
