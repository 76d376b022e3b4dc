import { execute, noSql, sql, sqlName, type Db, type Sql } from '../db/index.ts';

interface LeaseColumns {
  readonly table: string;
  /** The column with the holder's id, a uuid. The default is `holder_id`. */
  readonly holderColumn?: string;
  /** The column with the moment at which the lease lapses. The default is `lease_until`. */
  readonly untilColumn?: string;
  /**
   * True for a table whose two columns can't be null. A release then ends the lease and keeps its
   * holder.
   */
  readonly keepsHolder?: boolean;
}

interface LeaseRequest {
  /** Selects the row by its key, such as sql`id = ${id}::uuid`. */
  readonly row: Sql;
  /** A new uuid for every attempt, so that no process acts under the lease of an earlier one. */
  readonly holderId: string;
  /** Further conditions, such as a state. If they are not met, nothing happens. */
  readonly where?: Sql;
  /** Further columns to change in the same statement: sql`status = 'UNKNOWN'`. */
  readonly set?: Sql;
}

interface TimedLeaseRequest extends LeaseRequest {
  readonly leaseMs: number;
}

/** Leases a row to one worker until a time, by the database's clock. */
interface Lease {
  /**
   * Acquires a row without a lease, or with an expired one. Returns false when another process
   * holds it.
   */
  acquire(db: Db, request: TimedLeaseRequest): Promise<boolean>;
  /**
   * Extends the lease from now, before a further call. Returns false when it has lapsed or was
   * lost.
   */
  renew(db: Db, request: TimedLeaseRequest): Promise<boolean>;
  /** Releases the row for the next process. Returns false when the lease was lost meanwhile. */
  release(db: Db, request: LeaseRequest): Promise<boolean>;
  /** Sets both columns as `acquire` does, for an update that itself requires `isFree`. */
  taken(holderId: string, leaseMs: number): Sql;
  /** Returns the moment at which a lease taken now lapses, for an INSERT that takes the lease. */
  until(leaseMs: number): Sql;
  /**
   * Returns the condition that the row has no valid lease, with `alias` if the statement names its
   * table.
   */
  isFree(alias?: string): Sql;
  /**
   * Sets both columns as after a release, for an update that ends the work. Either the holder makes
   * this update, or a process that has the outcome from another source and needs no lease.
   */
  readonly cleared: Sql;
}

const endOf = (leaseMs: number): Sql =>
  sql`clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'`;

/**
 * Creates the lease of a table. It uses `clock_timestamp()`, since the business clock can be moved
 * and `now()` does not advance within a transaction. A holder that lost its lease changes nothing,
 * because each of these writes names the holder.
 */
export const createLease = (columns: LeaseColumns): Lease => {
  const table = sqlName(columns.table);
  const holder = sqlName(columns.holderColumn ?? 'holder_id');
  const until = sqlName(columns.untilColumn ?? 'lease_until');
  const isFree = (alias?: string): Sql => {
    const column = alias === undefined ? until : sql`${sqlName(alias)}.${until}`;
    return sql`(${column} IS NULL OR ${column} <= clock_timestamp())`;
  };
  const cleared =
    columns.keepsHolder === true
      ? sql`${until} = clock_timestamp() - interval '1 millisecond'`
      : sql`${holder} = NULL, ${until} = NULL`;

  const update = async (db: Db, change: Sql, condition: Sql, request: LeaseRequest) => {
    const { row, where, set } = request;
    const count = await execute(
      db,
      sql`
        UPDATE ${table} SET ${change} ${set === undefined ? noSql : sql`, ${set}`}
        WHERE ${row} AND ${condition} ${where === undefined ? noSql : sql`AND ${where}`}`,
    );
    return count === 1;
  };
  const taken = (holderId: string, leaseMs: number): Sql =>
    sql`${holder} = ${holderId}::uuid, ${until} = ${endOf(leaseMs)}`;
  const isHeldBy = (holderId: string): Sql => sql`${holder} = ${holderId}::uuid`;

  return {
    acquire: (db, request) =>
      update(db, taken(request.holderId, request.leaseMs), isFree(), request),
    taken,
    renew: (db, request) => {
      const isHeld = sql`${isHeldBy(request.holderId)} AND ${until} > clock_timestamp()`;
      return update(db, sql`${until} = ${endOf(request.leaseMs)}`, isHeld, request);
    },
    release: (db, request) => update(db, cleared, isHeldBy(request.holderId), request),
    until: endOf,
    isFree,
    cleared,
  };
};
