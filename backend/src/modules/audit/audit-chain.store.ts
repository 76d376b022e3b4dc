import { createHash } from 'node:crypto';
import { selectRows, sql, type Db } from '../../platform/db/index.ts';

/** An entry of the chain. Numbers begin at 1 without gaps, and the hash is lower-case hex. */
export interface ChainLink {
  readonly number: bigint;
  readonly hash: string;
}

/** Stands for the entry before the first one. The hash of entry 1 covers this hash of zeros. */
export const chainStart: ChainLink = { number: 0n, hash: '00'.repeat(32) };

const fieldOf = (value: string | null): string =>
  value === null ? '-' : `${Buffer.byteLength(value)}:${value}`;

/**
 * Returns the hash of an entry in hex. It covers the entry's number, the previous entry's hash and
 * the columns of the audit row, in PostgreSQL's text form. The database has the same function, but a
 * verification computes the hashes itself, so that it trusts only the rows.
 */
export const chainHash = (
  number: bigint,
  previous: string,
  columns: readonly (string | null)[],
): string =>
  createHash('sha256')
    .update([String(number), previous, ...columns].map(fieldOf).join(','))
    .digest('hex');

/* The functions below read `audit_chain`. Only a trigger adds entries to it. */

/** An entry and the audit row that it names. */
export interface ChainedRow extends ChainLink {
  readonly auditId: string;
  /**
   * The columns that the hash covers, as text and in the hash's order. They are undefined if the
   * audit row is missing.
   */
  readonly columns: readonly (string | null)[] | undefined;
}

const hexOf = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');

/** Returns the last entry, or entry 0 of an empty chain. It is one index lookup. */
export const readChainHead = async (db: Pick<Db, 'auditChain'>): Promise<ChainLink> => {
  const lastEntry = await db.auditChain.findFirst({
    orderBy: { number: 'desc' },
    select: { number: true, hash: true },
  });
  return lastEntry === null
    ? chainStart
    : { number: lastEntry.number, hash: hexOf(lastEntry.hash) };
};

/** Returns the hash of the entry of that number, or undefined if there is no such entry. */
export const findChainHash = async (
  db: Pick<Db, 'auditChain'>,
  number: bigint,
): Promise<string | undefined> => {
  const entry = await db.auditChain.findUnique({ where: { number }, select: { hash: true } });
  return entry === null ? undefined : hexOf(entry.hash);
};

/**
 * Returns the next entries after number `after`, up to `last`, in order. Columns are cast to text
 * in SQL, because the hashes cover PostgreSQL's text form.
 */
export const listChainedRows = async (
  db: Db,
  { after, last, limit }: { readonly after: bigint; readonly last: bigint; readonly limit: number },
): Promise<ChainedRow[]> => {
  type Row = ChainLink & { auditId: string; columns: (string | null)[] | null };
  const rows = await selectRows<Row>(
    db,
    sql`
      SELECT c.number, encode(c.hash, 'hex') AS hash, c.audit_id AS "auditId",
        CASE WHEN a.id IS NOT NULL THEN jsonb_build_array(
          a.id::text, a.seq::text, a.action, a.outcome, a.actor_api, a.actor_id::text,
          a.actor_email, a.actor_role, a.target_type, a.target_id, a.before::text, a.after::text,
          a.sealed, a.sealed_for_user_id::text, a.request_id, a.ip,
          ((extract(epoch FROM a.at) * 1000)::bigint)::text) END AS columns
      FROM audit_chain c LEFT JOIN audit_log a ON a.id = c.audit_id
      WHERE c.number > ${after} AND c.number <= ${last} ORDER BY c.number LIMIT ${limit}::int`,
  );
  return rows.map(({ columns, ...row }) => ({ ...row, columns: columns ?? undefined }));
};

/** Lists audit rows that no entry names, oldest first. */
export const listUnchainedRows = async (
  db: Db,
  limit: number,
): Promise<{ readonly auditId: string; readonly seq: bigint }[]> => {
  const rows = await db.auditLog.findMany({
    where: { chained: null },
    orderBy: { seq: 'asc' },
    take: limit,
    select: { id: true, seq: true },
  });
  return rows.map(({ id, seq }) => ({ auditId: id, seq }));
};
