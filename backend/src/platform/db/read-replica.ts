import type { Database, Db, InTransaction } from './database.ts';
import { isDatabaseOutOfReach, sqlStateOf } from './errors.ts';
import { createReplicaLag } from './replica-lag.ts';
import { execute, sql } from './sql.ts';
import type { ReadSnapshot } from './read-snapshot.ts';

/** A standby that is further behind is not read. */
const longestLagMs = 30_000;
/** The time for which files come from the primary after the standby gave one up. */
const afterConflictMs = 60_000;

/**
 * Reads of what may be some seconds old: reports and files, and nothing that a decision rests on
 * (docs/adr/0112-read-replica.md). They go to the standby where there is one that keeps up, and to the
 * primary otherwise. `db` reads and nothing else.
 */
export interface StaleReads {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly readSnapshot: ReadSnapshot;
  /**
   * Returns how far the standby is behind, in milliseconds, or undefined if there is no standby.
   */
  readonly lagMs: () => number | undefined;
  /** Looks at the lag now. */
  readonly look: () => Promise<void>;
  close(): Promise<void>;
}

/** Names the server that answered a read: `retried` is the primary, after the standby gave it up. */
export type ReadFrom = 'replica' | 'primary' | 'retried';

interface ReplicaOptions {
  readonly primary: Database;
  readonly replica: Database;
  readonly onRead?: (from: ReadFrom) => void;
  /** Real milliseconds that only grow. */
  readonly now?: () => number;
}

/** Something was written where nothing may be. */
const readOnlyState = '25006';

/** The states in which a standby ends what is in the way of its replay. */
const conflictStates: ReadonlySet<string | undefined> = new Set(['40001', '40P01']);

/**
 * Returns true for a read that the standby ended for its replay, or could not begin: it conflicted
 * with recovery, the server is gone, or it starts up. The primary may answer it.
 */
const isStandbysTrouble = (error: unknown): boolean => {
  const state = sqlStateOf(error);
  // A write is the caller's mistake, and stays one: the primary would do it.
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

type Method = (...given: unknown[]) => Promise<unknown>;

/** Stands for a `Db` whose every statement is routed by itself. What writes is refused. */
const createRoutedDb = (primary: Database, route: Route): Db => {
  const routed =
    (name: string, ownerOf: (db: Db) => object): Method =>
    (...given) => {
      if (!readingMethods.has(name)) throw new Error(`${name} is not for what only reads`);
      return route(async ({ db }) => {
        const owner = ownerOf(db);
        const method = Reflect.get(owner, name) as Method; // one of the reading methods
        return method.apply(owner, given);
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

/** Sends each piece of work to the standby while it keeps up, and again where that gives it up. */
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
      if (!isStandbysTrouble(error)) throw error;
      onRead('retried');
      return work(primary);
    }
  };

/**
 * Reads files from the standby while it keeps up. One is read again from the primary as long as it
 * was not begun. After that it is cut off, as a file that fails is, and the next ones come from the
 * primary for a while.
 */
const createRoutedSnapshot = (routing: Routing): ReadSnapshot => {
  const { primary, replica, onRead, keepsUp, now } = routing;
  let fromPrimaryUntil = 0;
  return async (work, signal) => {
    let isBegun = false;
    const noting: typeof work = (snapshot) =>
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
      const answer = await replica.readSnapshot(noting, signal);
      onRead('replica');
      return answer;
    } catch (error) {
      if (!isStandbysTrouble(error) || signal.aborted) throw error;
      fromPrimaryUntil = now() + afterConflictMs;
      if (isBegun) throw error;
      onRead('retried');
      return primary.readSnapshot(work, signal);
    }
  };
};

/** Routes reads to a standby while it keeps up, and again to the primary where it gives them up. */
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
    inTransaction: (work, given) =>
      route((database) =>
        database.inTransaction(
          async (tx) => {
            // The standby writes nothing anyway.
            if (database === primary) await execute(tx, sql`SET TRANSACTION READ ONLY`);
            return work(tx);
          },
          { ...given, attempts: 1 },
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

/** Reads everything from the primary: of a process that knows of no standby. */
export const createPrimaryReads = ({ db, inTransaction, readSnapshot }: Database): StaleReads => ({
  db,
  inTransaction,
  readSnapshot,
  lagMs: () => undefined,
  look: async () => {},
  close: async () => {},
});
