import { selectRows, sql, type InTransaction } from '../../platform/db/index.ts';
import type { Read } from './reconciliation.types.ts';

/** Bounds one statement on the server. */
const usualStatementMs = 4000;
/**
 * Makes the planner read a window, which is a few rows of large tables, by their indexes: following
 * a key costs hardly more than reading on, as on solid-state storage.
 */
const solidStateCost = '1.1';
/** Allows for the round trip. */
const overheadMs = 5000;

/**
 * Reads for a report: each query sees one state of the database, in a transaction that can't write
 * and that the server ends when it takes too long.
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
