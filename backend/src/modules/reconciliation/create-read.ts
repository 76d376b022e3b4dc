import type { InTransaction } from '../../platform/db/index.ts';
import type { Read } from './reconciliation.types.ts';

/** How long one statement may take on the server. */
const statementMs = 4000;
/** The same with the way there and back, and the wait for a connection. */
const transactionMs = 10_000;

/**
 * Reads for a report: each statement sees one state of the database, in a transaction that can't
 * write and that the server ends when it takes too long.
 */
export const createRead =
  (inTransaction: InTransaction): Read =>
  (sql) =>
    inTransaction(
      async (db) => {
        await db.$queryRaw`
          SELECT set_config('transaction_read_only', 'on', true),
            set_config('statement_timeout', ${String(statementMs)}, true)`;
        return db.$queryRaw(sql);
      },
      { timeoutMs: transactionMs, attempts: 1 },
    );
