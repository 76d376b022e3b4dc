import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient, type Prisma } from '../../generated/prisma/client.ts';
import { createTimers, type Timers } from '../clock/timers.ts';
import { AppError } from '../errors/app-error.ts';
import { isForDeletedCustomer, isTransient } from './errors.ts';
import { createReadSnapshot, type ReadSnapshot } from './read-snapshot.ts';

const backOffMs = (attempt: number): number => 2 ** attempt * 5 * (1 + (attempt % 3) / 2);

/**
 * Runs `work`, one transaction or one statement that is a transaction by itself, again after a
 * serialization failure or deadlock.
 * @throws AppError UNAUTHENTICATED when it writes for a customer who was deleted meanwhile
 */
export const repeatTransient = async <T>(
  work: () => Promise<T>,
  options: { readonly attempts?: number; readonly timers?: Timers } = {},
): Promise<T> => {
  const { attempts = 5, timers = createTimers() } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (isForDeletedCustomer(error)) throw new AppError('UNAUTHENTICATED', { cause: error });
      if (attempt >= attempts || !isTransient(error)) throw error;
      await timers.sleep(backOffMs(attempt));
    }
  }
};

/**
 * A client that can run statements and nothing else: no way to open another transaction, so a
 * store built on a transaction's client can't leave it.
 */
export type Db = Omit<
  Prisma.TransactionClient,
  '$queryRawUnsafe' | '$executeRawUnsafe' | '$use' | '$on' | '$extends'
>;

interface TransactionOptions {
  readonly isolation?: 'ReadCommitted' | 'RepeatableRead' | 'Serializable';
  /** From the first statement to the commit, in milliseconds. */
  readonly timeoutMs?: number;
  /** The number of runs before a serialization failure or deadlock is thrown. */
  readonly attempts?: number;
}

/**
 * Runs `work` in one transaction; it may run again after a serialization failure or deadlock, so
 * it does nothing but statements: no network, no answer to a client.
 * @throws AppError UNAUTHENTICATED when it writes for a customer who was deleted meanwhile
 */
export type InTransaction = <T>(
  work: (db: Db) => Promise<T>,
  options?: TransactionOptions,
) => Promise<T>;

export interface Database {
  /** For single statements. */
  readonly db: Db;
  readonly inTransaction: InTransaction;
  /** For long reads of many rows; the pool is not used. */
  readonly readSnapshot: ReadSnapshot;
  ping(): Promise<void>;
  close(): Promise<void>;
}

interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** The time that a statement waits for a connection, in milliseconds (default 5000). */
  readonly connectionWaitMs?: number;
  /** A name that `pg_stat_activity` shows. */
  readonly applicationName: string;
  readonly onPoolError?: (error: Error) => void;
  readonly timers?: Timers;
}

/** Opens a pool of at most `poolSize` connections; nothing connects before the first statement. */
export const createDatabase = (options: DatabaseOptions): Database => {
  const { url, poolSize, applicationName, timers = createTimers() } = options;
  const { connectionWaitMs = 5000 } = options;
  const adapter = new PrismaPg(
    {
      connectionString: url,
      max: poolSize,
      application_name: applicationName,
      connectionTimeoutMillis: connectionWaitMs,
      idleTimeoutMillis: 30_000,
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 30_000,
      // The adapter writes and reads times as UTC without saying so; a server or database set to
      // another zone (Asia/Kolkata, say) would shift every one of them.
      options: '-c TimeZone=UTC -c default_transaction_isolation=read\\ committed',
    },
    { onPoolError: options.onPoolError ?? (() => {}) },
  );
  const client = new PrismaClient({ adapter });

  const inTransaction: InTransaction = async (work, transaction = {}) => {
    const { isolation = 'ReadCommitted', timeoutMs = 15_000, attempts = 5 } = transaction;
    const once = () =>
      client.$transaction(work, {
        // The connections' own level needs no statement to set it.
        ...(isolation !== 'ReadCommitted' && { isolationLevel: isolation }),
        timeout: timeoutMs,
        maxWait: 2 * connectionWaitMs,
      });
    return repeatTransient(once, { attempts, timers });
  };

  return {
    db: client,
    inTransaction,
    readSnapshot: createReadSnapshot({ url, applicationName }),
    ping: async () => {
      await client.$queryRaw`SELECT 1`;
    },
    close: () => client.$disconnect(),
  };
};
