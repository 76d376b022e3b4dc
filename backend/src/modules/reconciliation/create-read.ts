import { selectRows, sql, type InTransaction } from '../../platform/db/index.ts';
import type { Read } from './reconciliation.types.ts';

/** The default time limit in ms of one statement, which the server enforces. */
const usualStatementMs = 4000;
/**
 * The planner's cost of a random page. A random read on solid-state storage costs little more than a
 * sequential read. With the default cost, the planner would scan large tables for the few rows of a
 * window instead of using indexes.
 */
const solidStateCost = '1.1';
/** The time in ms that a transaction may take in addition to its statement, for its round trips. */
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
