import { joinSql, selectOne, selectRows, sql, type Db, type Sql } from '../../platform/db/index.ts';

/* The queries that runbooks make on the database. Each only reads. */

const isoOrNull = (date: Date | null): string | null => date?.toISOString() ?? null;

/** Reads how the database is set up, and how many of its connections are in use. */
export const readDatabaseStatus = async (db: Db) => {
  const row = await selectOne<{
    version: string;
    readOnly: boolean;
    timeZone: string;
    connections: number;
    maxConnections: number;
  }>(
    db,
    sql`
      SELECT current_setting('server_version') AS version,
        pg_is_in_recovery() OR (SELECT reset_val = 'on' FROM pg_settings
          WHERE name = 'default_transaction_read_only') AS "readOnly",
        (SELECT reset_val FROM pg_settings WHERE name = 'TimeZone') AS "timeZone",
        (SELECT sum(numbackends) FROM pg_stat_database)::int AS connections,
        current_setting('max_connections')::int
          - current_setting('superuser_reserved_connections')::int AS "maxConnections"`,
  );
  return row ?? null;
};

/** Lists the migrations that began and did not finish, with the database's error. */
export const listFailedMigrations = async (db: Db) => {
  const rows = await selectRows<{ name: string; startedAt: Date; reason: string | null }>(
    db,
    sql`
      SELECT migration_name AS name, started_at AS "startedAt", logs AS reason
      FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL
      ORDER BY started_at`,
  );
  return rows.map(({ startedAt, ...row }) => ({ ...row, startedAt: startedAt.toISOString() }));
};

/** Returns a query that counts a column's hashes by the key that encrypts them. */
const countEncryptedHashes = (kind: string, table: Sql, hash: Sql): Sql => sql`
  SELECT ${kind}::text AS kind,
    CASE WHEN ${hash} LIKE 'v1.%' THEN split_part(${hash}, '.', 2) END AS "keyId",
    count(*)::int AS count
  FROM ${table} WHERE ${hash} IS NOT NULL GROUP BY 2`;

const indexedValues = (kind: string, key: Sql, rows: Sql): Sql => sql`
  SELECT ${kind}::text AS kind, ${key} AS "keyId", count(*)::int AS count FROM ${rows} GROUP BY 2`;

/**
 * Counts the hashes that are encrypted with each pepper's key, and the values that are hashed with
 * each key of the blind indexes. A null key id counts hashes that an earlier version stored without a
 * key id. The phone hashes of deleted accounts cannot be rehashed with a new key, because the phones
 * are gone. The old key is needed until the last cool-down ends. That time is returned as
 * `coolDownsUntil`.
 */
export const readKeyUses = async (db: Db) => {
  const parts = [
    countEncryptedHashes('admin', sql`admin_user`, sql`password_hash`),
    countEncryptedHashes('portal', sql`portal_user`, sql`password_hash`),
    countEncryptedHashes('mpin', sql`app_user`, sql`mpin_hash`),
    indexedValues('phone', sql`phone_hash_key`, sql`app_user WHERE phone IS NOT NULL`),
    indexedValues('kyc', sql`hash_key`, sql`kyc_record WHERE pan_hash IS NOT NULL`),
    indexedValues('account', sql`number_hash_key`, sql`bank_account WHERE deleted_at IS NULL`),
  ];
  const [items, last] = await Promise.all([
    selectRows<{ kind: string; keyId: string | null; count: number }>(
      db,
      joinSql(parts, ' UNION ALL '),
    ),
    selectOne<{ until: Date | null }>(db, sql`SELECT max(until) AS until FROM deleted_phone`),
  ]);
  const order = ['admin', 'portal', 'mpin', 'phone', 'kyc', 'account'];
  const sorted = items.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  return { items: sorted, coolDownsUntil: isoOrNull(last?.until ?? null) };
};

/** Lists the newest ticks of the price feed. */
export const listTicks = async (db: Db, now: Date) => {
  const rows = await selectRows<{ seq: string; mark: Date; asOf: Date }>(
    db,
    sql`
      SELECT seq::text, mark, as_of AS "asOf" FROM price_snapshot
      WHERE seq IS NOT NULL ORDER BY price_snapshot.seq DESC LIMIT 5`,
  );
  const items = rows.map(({ seq, mark, asOf }) => ({
    seq,
    mark: mark.toISOString(),
    asOf: asOf.toISOString(),
    ageSeconds: Math.round((now.getTime() - mark.getTime()) / 1000),
  }));
  return { items };
};

interface DebitRow {
  readonly paymentOrderId: string;
  readonly orderId: string;
  readonly gateway: string;
  readonly gatewayOrderId: string | null;
  readonly debitStatus: string | null;
  readonly dueAt: Date;
  readonly sentAt: Date | null;
  readonly askedAt: Date | null;
  readonly expiresAt: Date | null;
}

/** Lists the open debits that were due more than an hour ago, the oldest first. */
export const listOverdueDebits = async (db: Db, now: Date) => {
  const rows = await selectRows<DebitRow>(
    db,
    sql`
      SELECT id AS "paymentOrderId", order_id AS "orderId", gateway,
        gateway_order_id AS "gatewayOrderId", debit_status AS "debitStatus",
        debit_due_at AS "dueAt", debit_sent_at AS "sentAt", last_asked_at AS "askedAt",
        expires_at AS "expiresAt"
      FROM payment_order
      WHERE status IN ('CREATED', 'GATEWAY_ORDER_CREATED')
        AND debit_due_at < ${now}::timestamptz - interval '1 hour'
      ORDER BY debit_due_at LIMIT 100`,
  );
  const items = rows.map(({ dueAt, sentAt, askedAt, expiresAt, ...row }) => ({
    ...row,
    dueAt: dueAt.toISOString(),
    sentAt: isoOrNull(sentAt),
    askedAt: isoOrNull(askedAt),
    expiresAt: isoOrNull(expiresAt),
  }));
  return { items };
};

/**
 * Counts the one-time codes requested in `otp_send` by client address. Returns at most 20 addresses,
 * those with the most codes first.
 */
export const countCodesByClientAddress = async (db: Db) => {
  const items = await selectRows<{ address: string | null; count: number }>(
    db,
    sql`
      SELECT address, count(*)::int AS count FROM otp_send
      GROUP BY address ORDER BY 2 DESC, 1 LIMIT 20`,
  );
  return { items };
};

interface AuditRow {
  readonly id: string;
  readonly action: string;
  readonly outcome: string;
  readonly actorApi: string;
  readonly actorId: string | null;
  readonly actorRole: string | null;
  readonly targetType: string | null;
  readonly targetId: string | null;
  readonly requestId: string | null;
  readonly at: Date;
}

const auditColumns = sql`
  id, action, outcome, actor_api AS "actorApi", actor_id AS "actorId", actor_role AS "actorRole",
  target_type AS "targetType", target_id AS "targetId", request_id AS "requestId", at`;

/**
 * Returns an audit row without the columns that may name a person, or undefined if there is no such
 * row.
 */
export const findAuditRow = async (db: Db, id: string) => {
  const row = await selectOne<AuditRow>(
    db,
    sql`SELECT ${auditColumns} FROM audit_log WHERE id = ${id}::uuid`,
  );
  return row === undefined ? undefined : { ...row, at: row.at.toISOString() };
};

/** `audit_chain_head_hash` is the first 13 hex digits (52 bits) of the newest entry's hash. */
const metricDigits = 13;

/** Returns an entry of the audit chain with the row that it names, or undefined. */
export const findAuditEntry = async (db: Db, number: bigint) => {
  const entry = await selectOne<{ hash: string; auditId: string }>(
    db,
    sql`
      SELECT encode(hash, 'hex') AS hash, audit_id AS "auditId"
      FROM audit_chain WHERE number = ${number}`,
  );
  if (entry === undefined) return undefined;
  const { hash, auditId } = entry;
  return {
    number: String(number),
    hash,
    metric: String(Number.parseInt(hash.slice(0, metricDigits), 16)),
    row: (await findAuditRow(db, auditId)) ?? null,
  };
};
