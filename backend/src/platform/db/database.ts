import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient, type Prisma } from '../../generated/prisma/client.ts';
import { createTimers, type Timers } from '../clock/timers.ts';
import { AppError } from '../errors/app-error.ts';
import { createTurns, type Turns } from '../concurrency/turns.ts';
import { isForDeletedCustomer, isTransient } from './errors.ts';
import { createConnections, silenceMs, type Connections } from './connections.ts';
import { createReadSnapshot, type ReadSnapshot } from './read-snapshot.ts';
import { withSilence } from './session.ts';

const backOffMs = (attempt: number): number => 2 ** attempt * 5 * (1 + (attempt % 3) / 2);

/**
 * Runs `work`, which is one transaction, and repeats it after a serialization failure or deadlock.
 * @throws AppError UNAUTHENTICATED if `work` writes for a customer who was deleted meanwhile
 */
const repeatTransient = async <T>(
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
 * A client that can only run statements. It can't open another transaction, so a store built on a
 * transaction's client can't leave it.
 */
export type Db = Omit<
  Prisma.TransactionClient,
  '$queryRawUnsafe' | '$executeRawUnsafe' | '$use' | '$on' | '$extends'
>;

interface TransactionOptions {
  readonly isolation?: 'ReadCommitted' | 'RepeatableRead' | 'Serializable';
  /** The time limit from the first statement to the commit, in milliseconds. */
  readonly timeoutMs?: number;
  /** The number of runs before a serialization failure or deadlock is thrown. */
  readonly attempts?: number;
}

/**
 * Runs `work` in a transaction. It may run again after a serialization failure or deadlock, so it
 * must only run statements and never use the network or answer a client.
 * @throws AppError UNAUTHENTICATED if `work` writes for a customer who was deleted meanwhile
 */
export type InTransaction = <T>(
  work: (db: Db) => Promise<T>,
  options?: TransactionOptions,
) => Promise<T>;

export interface Database {
  /** Runs single statements. */
  readonly db: Db;
  readonly inTransaction: InTransaction;
  /** Runs long reads of many rows, without the pool. */
  readonly readSnapshot: ReadSnapshot;
  /** The connections, for work that needs a separate one, such as probes and the job queue. */
  readonly connections: Connections;
  /** Rejects when the database does not answer, or takes no writes. The pool is not used. */
  ping(): Promise<void>;
  /** Ends running statements after a moment, and every connection. */
  close(): Promise<void>;
}

/** Bounds what one customer's locked row costs the others (contract: limits > Contention). */
interface ContentionOptions {
  /** The longest wait of a statement for a lock, and of a transaction for its turn, in ms. */
  readonly lockWaitMs: number;
  /** The transactions that a caller may run at a time (default 4). */
  readonly turns?: number | undefined;
  /** The caller of this work. Work without a caller takes no turns. */
  readonly callerOf: () => string | undefined;
  readonly onRefused?: () => void;
}

interface DatabaseOptions {
  /**
   * Without it, the wait for a lock is bounded only by the time of the statement or transaction.
   */
  readonly contention?: ContentionOptions;
  readonly url: string;
  readonly poolSize: number;
  /** The time that a statement waits for a connection, in milliseconds (default 5000). */
  readonly connectionWaitMs?: number;
  /** A name that `pg_stat_activity` shows. */
  readonly applicationName: string;
  readonly onPoolError?: (error: Error) => void;
  /** Called with the reason when all connections were discarded. */
  readonly onReplaced?: (reason: string) => void;
  readonly timers?: Timers;
  /**
   * True for a standby. The client then stays with it, and does not look for a server that accepts
   * writes.
   */
  readonly isStandby?: boolean;
}

/** The longest time, in milliseconds, for which a running statement delays the end of a process. */
const goodbyeMs = 2000;
/** The default time limit of a transaction, in milliseconds. */
const usualTransactionMs = 15_000;

/** Returns the turns in which the transactions of one caller run. */
const turnsOf = (contention: ContentionOptions | undefined): Turns | undefined => {
  if (contention === undefined) return undefined;
  const { turns: places = 4, lockWaitMs: waitMs, onRefused } = contention;
  return createTurns({ places, waitMs, ...(onRefused !== undefined && { onRefused }) });
};

/** Opens a pool of at most `poolSize` connections. Nothing connects before the first statement. */
export const createDatabase = (options: DatabaseOptions): Database => {
  const { url, poolSize, applicationName, timers = createTimers() } = options;
  const { connectionWaitMs = 5000, contention } = options;
  const turns = turnsOf(contention);
  const connections = createConnections({
    url,
    applicationName,
    timers,
    isStandby: options.isStandby === true,
    ...(options.onReplaced !== undefined && { onReplaced: options.onReplaced }),
  });
  const pool = connections.openPool({
    size: poolSize,
    applicationName,
    connectionWaitMs,
    ...(contention !== undefined && { lockWaitMs: contention.lockWaitMs }),
    ...(options.onPoolError !== undefined && { onError: options.onPoolError }),
  });
  const client = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: true }) });

  const inTransaction: InTransaction = async (work, transaction = {}) => {
    const {
      isolation = 'ReadCommitted',
      timeoutMs = usualTransactionMs,
      attempts = 5,
    } = transaction;
    const runOnce = () =>
      client.$transaction(work, {
        // The connections' own level needs no statement to set it.
        ...(isolation !== 'ReadCommitted' && { isolationLevel: isolation }),
        timeout: timeoutMs,
        maxWait: 2 * connectionWaitMs,
      });
    const run = () => repeatTransient(runOnce, { attempts, timers });
    // In a transaction with a longer limit, each statement may also take longer.
    const runPatiently = () =>
      timeoutMs > usualTransactionMs ? withSilence(timeoutMs + silenceMs, run) : run();
    const caller = contention?.callerOf();
    return turns === undefined || caller === undefined
      ? runPatiently()
      : turns.run(caller, runPatiently);
  };

  const close = async (): Promise<void> => {
    const patience = new AbortController();
    const disconnected = client.$disconnect().finally(() => patience.abort());
    await Promise.race([disconnected, timers.sleep(goodbyeMs, patience.signal)]);
    connections.close();
    await Promise.race([disconnected, timers.sleep(goodbyeMs, patience.signal)]);
  };

  return {
    db: client,
    inTransaction,
    readSnapshot: createReadSnapshot({ connections, applicationName }),
    connections,
    ping: connections.checkWrites,
    close,
  };
};
