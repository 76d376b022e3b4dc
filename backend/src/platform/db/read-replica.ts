import type { Database, Db, InTransaction } from './database.ts';
import { isDatabaseOutOfReach, sqlStateOf } from './errors.ts';
import { createReplicaLag } from './replica-lag.ts';
import { execute, sql } from './sql.ts';
import type { ReadSnapshot } from './read-snapshot.ts';

/** The longest lag, in milliseconds, at which a standby is read. */
const longestLagMs = 30_000;
/**
 * The time, in milliseconds, for which files come from the primary after the standby gave up a
 * file.
 */
const afterConflictMs = 60_000;

/**
 * Reads data that may be some seconds old: reports and files, but nothing that a decision is based
 * on (docs/adr/0112-read-replica.md). The reads go to the standby if there is a standby that keeps
 * up, and to the primary otherwise. `db` only reads.
 */
export interface StaleReads {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly readSnapshot: ReadSnapshot;
  /**
   * Returns how far the standby is behind, in milliseconds, or undefined if there is no standby.
   */
  readonly lagMs: () => number | undefined;
  /** Measures the lag now. */
  readonly look: () => Promise<void>;
  close(): Promise<void>;
}

/**
 * Names the server that answered a read. `retried` is the primary, after the standby gave up the
 * read.
 */
export type ReadFrom = 'replica' | 'primary' | 'retried';

interface ReplicaOptions {
  readonly primary: Database;
  readonly replica: Database;
  readonly onRead?: (from: ReadFrom) => void;
  /** Real milliseconds that only grow. */
  readonly now?: () => number;
}

/** The SQLSTATE of a write that a read-only server refused. */
const readOnlyState = '25006';

/** The SQLSTATEs with which a standby ends statements that block its replay. */
const conflictStates: ReadonlySet<string | undefined> = new Set(['40001', '40P01']);

/**
 * Returns true if the standby ended a read for its replay, or could not begin it: the read
 * conflicted with recovery, the server is gone, or it starts up. The primary may answer it.
 */
const isStandbyFailure = (error: unknown): boolean => {
  const state = sqlStateOf(error);
  // A write is the caller's mistake and is not repeated, since the primary would do it.
  if (state === readOnlyState) return false;
  return conflictStates.has(state) || isDatabaseOutOfReach(error);
};

const readingMethods: ReadonlySet<string> = new Set([
  '$queryRaw',
  'aggregate',
  'count',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'findUnique',
  'findUniqueOrThrow',
  'groupBy',
]);

/** Sends a piece of work to a server. */
type Route = <T>(work: (database: Database) => Promise<T>) => Promise<T>;

type Method = (...args: unknown[]) => Promise<unknown>;

/** Creates a `Db` that routes each statement by itself and refuses statements that write. */
const createRoutedDb = (primary: Database, route: Route): Db => {
  const routed =
    (name: string, ownerOf: (db: Db) => object): Method =>
    (...args) => {
      if (!readingMethods.has(name)) throw new Error(`${name} is not a method that only reads`);
      return route(async ({ db }) => {
        const owner = ownerOf(db);
        const method = Reflect.get(owner, name) as Method; // one of the reading methods
        return method.apply(owner, args);
      });
    };
  const delegate = (table: string): object =>
    new Proxy(
      {},
      { get: (_target, name) => routed(String(name), (db) => Reflect.get(db, table) as object) },
    );
  return new Proxy(primary.db, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === 'function') return routed(String(name), (db) => db);
      return typeof value === 'object' && value !== null ? delegate(String(name)) : value;
    },
  });
};

interface Routing extends Pick<ReplicaOptions, 'primary' | 'replica'> {
  readonly onRead: (from: ReadFrom) => void;
  readonly keepsUp: () => boolean;
  readonly now: () => number;
}

/**
 * Sends each piece of work to the standby while it keeps up. If the standby gives the work up, the
 * work is sent to the primary.
 */
const createRoute =
  ({ primary, replica, onRead, keepsUp }: Routing): Route =>
  async (work) => {
    if (!keepsUp()) {
      onRead('primary');
      return work(primary);
    }
    try {
      const answer = await work(replica);
      onRead('replica');
      return answer;
    } catch (error) {
      if (!isStandbyFailure(error)) throw error;
      onRead('retried');
      return work(primary);
    }
  };

/**
 * Reads files from the standby while it keeps up. If the standby gives a file up before its first
 * byte was sent, the file is read again from the primary. After its first byte, the file is cut off
 * like any other file that fails. In both cases the next files come from the primary for a while.
 */
const createRoutedSnapshot = (routing: Routing): ReadSnapshot => {
  const { primary, replica, onRead, keepsUp, now } = routing;
  let fromPrimaryUntil = 0;
  return async (work, signal) => {
    let isBegun = false;
    const tracked: typeof work = (snapshot) =>
      work({
        first: (query) => snapshot.first(query),
        batches(query, size) {
          isBegun = true;
          return snapshot.batches(query, size);
        },
        csv(query) {
          isBegun = true;
          return snapshot.csv(query);
        },
      });
    if (!keepsUp() || now() < fromPrimaryUntil) {
      onRead('primary');
      return primary.readSnapshot(work, signal);
    }
    try {
      const answer = await replica.readSnapshot(tracked, signal);
      onRead('replica');
      return answer;
    } catch (error) {
      if (!isStandbyFailure(error) || signal.aborted) throw error;
      fromPrimaryUntil = now() + afterConflictMs;
      if (isBegun) throw error;
      onRead('retried');
      return primary.readSnapshot(work, signal);
    }
  };
};

/**
 * Routes reads to a standby while it keeps up. If it gives a read up, the read is sent again to the
 * primary.
 */
export const createReplicaReads = (options: ReplicaOptions): StaleReads => {
  const { primary, replica, onRead = () => {}, now = () => performance.now() } = options;
  const lag = createReplicaLag({
    primary: primary.connections,
    replica: replica.connections,
    now,
  });
  const keepsUp = (): boolean => (lag.current() ?? Infinity) <= longestLagMs;
  const routing = { primary, replica, onRead, keepsUp, now };
  const route = createRoute(routing);
  return {
    db: createRoutedDb(primary, route),
    inTransaction: (work, args) =>
      route((database) =>
        database.inTransaction(
          async (tx) => {
            // The standby refuses writes anyway.
            if (database === primary) await execute(tx, sql`SET TRANSACTION READ ONLY`);
            return work(tx);
          },
          { ...args, attempts: 1 },
        ),
      ),
    readSnapshot: createRoutedSnapshot(routing),
    lagMs: lag.current,
    look: lag.look,
    async close() {
      lag.stop();
      await replica.close();
    },
  };
};

/** Reads everything from the primary. It is for a process without a standby. */
export const createPrimaryReads = ({ db, inTransaction, readSnapshot }: Database): StaleReads => ({
  db,
  inTransaction,
  readSnapshot,
  lagMs: () => undefined,
  look: async () => {},
  close: async () => {},
});
