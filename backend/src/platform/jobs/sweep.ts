import { execute, noSql, sql, sqlName, type Db, type Sql } from '../db/index.ts';
import type { Metrics } from '../observability/metrics.ts';

/** A periodic pass of the worker over rows that have expired, are stuck, or can be purged. */
export interface Sweep {
  /** The name, in kebab-case. It is the label of the sweep's metrics and the name of its lock. */
  readonly name: string;
  /** The real milliseconds between two passes. By default it is the runner's period. */
  readonly everyMs?: number;
  /**
   * Makes a pass. It decides by the business clock which rows are due. It must be safe to run
   * concurrently, since the runner's lock only saves work. `signal` aborts when the process stops
   * or the lock is lost.
   */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

interface SweepRowsOptions<Row> {
  /**
   * Either one batch of rows, or a function that returns the batch after a given row, in an order
   * that `handle` does not change. Use the function for tables without a column to postpone by. The
   * pass then continues to the end of the list, so that failing rows hide none behind them.
   */
  readonly rows: readonly Row[] | ((lastRow: Row | undefined) => Promise<readonly Row[]>);
  readonly signal: AbortSignal;
  /** Handles a row. Returns false if the row could not be processed now. */
  readonly handle: (row: Row) => Promise<boolean>;
  /**
   * Postpones a row that could not be processed, by the column that orders the batch. Without it,
   * the rows of a collaborator that does not answer would fill every batch and hide all other rows.
   */
  readonly postpone?: (row: Row) => Promise<void>;
  /** Called with the error of `handle` or `postpone`. The pass continues with the next row. */
  readonly onError: (error: unknown, row: Row) => void;
}

/** Handles a row. Returns false if it failed or could not be processed. */
const sweepRow = async <Row>(options: SweepRowsOptions<Row>, row: Row): Promise<boolean> => {
  const { handle, postpone, onError } = options;
  try {
    if (await handle(row)) return true;
  } catch (error) {
    onError(error, row);
  }
  try {
    await postpone?.(row);
  } catch (error) {
    onError(error, row);
  }
  return false;
};

/**
 * Handles rows one after another, until `signal` aborts. A row that fails ends neither the pass nor
 * the rows after it. Returns the number of processed rows.
 */
export const sweepRows = async <Row>(options: SweepRowsOptions<Row>): Promise<number> => {
  const { rows, signal } = options;
  let processed = 0;
  const sweepBatch = async (batch: readonly Row[]): Promise<void> => {
    for (const row of batch) {
      if (signal.aborted) return;
      if (await sweepRow(options, row)) processed += 1;
    }
  };
  if (typeof rows !== 'function') {
    await sweepBatch(rows);
    return processed;
  }
  let lastRow: Row | undefined;
  while (!signal.aborted) {
    const batch = await rows(lastRow);
    if (batch.length === 0) break;
    await sweepBatch(batch);
    lastRow = batch.at(-1);
  }
  return processed;
};

interface SweepBatchesOptions<Row> {
  /**
   * Lists the batch after the last row of the previous batch, in an order that `handle` does not
   * change.
   */
  readonly rows: (lastRow: Row | undefined) => Promise<readonly Row[]>;
  readonly signal: AbortSignal;
  /** Handles rows in one transaction. */
  readonly handle: (rows: readonly Row[]) => Promise<void>;
  /** Is called with the error of `handle` for a single row. */
  readonly onError: (error: unknown, row: Row) => void;
}

/**
 * Handles rows in batches, because a transaction for each row would cost too much. A batch that
 * fails is handled again row by row, so that one row does not roll back the others.
 */
export const sweepBatches = async <Row>(options: SweepBatchesOptions<Row>): Promise<void> => {
  const { rows, signal, handle, onError } = options;
  const handleEach = async (batch: readonly Row[]): Promise<void> => {
    const handleOne = async (row: Row): Promise<boolean> => {
      await handle([row]);
      return true;
    };
    await sweepRows({ rows: batch, signal, onError, handle: handleOne });
  };
  let lastRow: Row | undefined;
  while (!signal.aborted) {
    const batch = await rows(lastRow);
    if (batch.length === 0) return;
    try {
      await handle(batch);
    } catch {
      await handleEach(batch);
    }
    lastRow = batch.at(-1);
  }
};

/** A kind of row that is deleted once nothing needs it (contract: limits > Retention). */
export interface Purge {
  /** The name of its sweep, in kebab-case. It begins with the module's name. */
  readonly name: string;
  /** Deletes at most `limit` rows in one statement. Returns their number. */
  readonly deleteBatch: (limit: number) => Promise<number>;
}

interface RowPurge {
  readonly name: string;
  readonly table: string;
  /** Matches the rows that nothing needs any more. */
  readonly lapsed: () => Sql;
  /** The column whose index finds these rows. */
  readonly orderBy?: string;
}

/** Creates the purge of a table's rows. It skips locked rows. */
export const createRowPurge = (db: Db, { name, table, lapsed, orderBy }: RowPurge): Purge => ({
  name,
  deleteBatch: (limit) =>
    execute(
      db,
      sql`
        DELETE FROM ${sqlName(table)} WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM ${sqlName(table)} WHERE ${lapsed()}
          ${orderBy === undefined ? noSql : sql`ORDER BY ${sqlName(orderBy)}`}
          LIMIT ${limit}::int FOR UPDATE SKIP LOCKED))`,
    ),
});

interface PurgeSweepOptions extends Purge {
  /** Real milliseconds between two passes. */
  readonly everyMs: number;
  readonly metrics: Pick<Metrics, 'countPurged'>;
  readonly batchSize?: number;
}

/** Creates the sweep of a purge. It deletes in batches, so that no statement runs long. */
export const createPurgeSweep = (options: PurgeSweepOptions): Sweep => {
  const { name, everyMs, deleteBatch, metrics, batchSize = 2000 } = options;
  return {
    name,
    everyMs,
    async run(signal) {
      while (!signal.aborted) {
        const count = await deleteBatch(batchSize);
        if (count > 0) metrics.countPurged(name, count);
        if (count < batchSize) return;
      }
    },
  };
};
