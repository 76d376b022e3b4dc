import { selectRows, sql, type InTransaction } from '../../platform/db/index.ts';
import type { Read } from './reconciliation.types.ts';

/** Bounds one statement on the server. */
const usualStatementMs = 4000;
/**
 * The planner's cost of a random page. It makes the planner read a window, which is a few rows of
 * large tables, by indexes, since a random read on solid-state storage costs little more than a
 * sequential one.
 */
const solidStateCost = '1.1';
/** Allows for the round trip. */
const overheadMs = 5000;

/**
 * Creates the read function of a report. Each query runs in a read-only transaction on one
 * snapshot, and the server ends it if it takes too long.
 */
export const createRead =
  (inTransaction: InTransaction, statementMs = usualStatementMs): Read =>
  (query) =>
    inTransaction(
      async (db) => {
        await selectRows(
          db,
          sql`
            SELECT set_config('transaction_read_only', 'on', true),
              set_config('statement_timeout', ${String(statementMs)}, true),
              set_config('random_page_cost', ${solidStateCost}, true)`,
        );
        return selectRows(db, query);
      },
      { timeoutMs: statementMs + overheadMs, attempts: 1 },
    );
