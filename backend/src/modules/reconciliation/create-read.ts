import type { InTransaction } from '../../platform/db/index.ts';
import type { Read } from './reconciliation.types.ts';

/** How long one statement may take on the server, unless said otherwise. */
const usualStatementMs = 4000;
/**
 * What following a key costs beside reading on, as on solid-state storage: a window is a few rows
 * of large tables, and is to be read by their indexes.
 */
const solidStateCost = '1.1';
/** What the way there and back may add. */
const overheadMs = 5000;

/**
 * Reads for a report: each statement sees one state of the database, in a transaction that can't
 * write and that the server ends when it takes too long.
 */
export const createRead =
  (inTransaction: InTransaction, statementMs = usualStatementMs): Read =>
  (sql) =>
    inTransaction(
      async (db) => {
        await db.$queryRaw`
          SELECT set_config('transaction_read_only', 'on', true),
            set_config('statement_timeout', ${String(statementMs)}, true),
            set_config('random_page_cost', ${solidStateCost}, true)`;
        return db.$queryRaw(sql);
      },
      { timeoutMs: statementMs + overheadMs, attempts: 1 },
    );
