import { createHash, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { withConnection } from '../dev/stack/database-setup.ts';
import { readOwnProof } from '../src/modules/proof-of-gold/read-own-proof.ts';
import { createProofOfGold, readSigningKeys } from '../src/modules/proof-of-gold/index.ts';
import { runLimitsOf } from '../src/modules/reconciliation/index.ts';
import { createSystemClock } from '../src/platform/clock/clock.ts';
import { createDatabase, type Database } from '../src/platform/db/index.ts';
import { createRandom } from '../src/platform/ids/random.ts';
import { createSilentLogger } from '../src/platform/observability/index.ts';
import { done } from '../src/platform/outcome/outcome.ts';
import { ZERO_GRAMS } from '../src/money/index.ts';
import { openStack } from './support/open-stack.ts';
import type { Report } from './support/report.ts';

const megabyte = 1024 * 1024;
const holdings = 1_000_000;
const proofs = 500;

/** Inserts customers with gold whose books agree and were already confirmed by the provider. */
const fillSql = `
  ALTER TABLE app_user DISABLE TRIGGER USER;
  ALTER TABLE holding DISABLE TRIGGER USER;
  ALTER TABLE holding_movement DISABLE TRIGGER USER;
  -- The movements have no orders, which a statement does not read.
  ALTER TABLE holding_movement DROP CONSTRAINT holding_movement_order_id_fkey;
  INSERT INTO app_user
    (id, phone, phone_hash, provider_user_id, referral_code, created_at, updated_at)
  SELECT gen_random_uuid(), '+9190' || lpad(n::text, 8, '0'), 'h' || n, 'p' || n,
    'B' || lpad(n::text, 7, '0'), now(), now()
  FROM generate_series(1, ${holdings}) AS n;
  INSERT INTO holding (user_id, balance, reserved, invested_paise, version, created_at, updated_at)
  SELECT id, (1 + abs(hashtext(id::text)) % 1000000) / 10000.0, 0, 1, 1, now(), now()
  FROM app_user;
  INSERT INTO holding_movement
    (id, user_id, order_id, kind, grams, invested_paise, balance_after, invested_after_paise,
    version, at)
  SELECT gen_random_uuid(), user_id, gen_random_uuid(), 'CREDIT', balance, 1, balance, 1, 1, now()
  FROM holding;
  INSERT INTO proof_confirmation
    (provider, provider_user_id, version, grams, booked, confirmed_at)
  SELECT 'safegold', u.provider_user_id, 1, h.balance, h.balance, now()
  FROM holding h JOIN app_user u ON u.id = h.user_id;
  ALTER TABLE app_user ENABLE TRIGGER USER;
  ALTER TABLE holding ENABLE TRIGGER USER;
  ALTER TABLE holding_movement ENABLE TRIGGER USER;
  ANALYZE`;

interface Measured {
  readonly seconds: number;
  readonly addedMegabytes: number;
}

/** Measures the time of a run, and the increase of this process's memory at its peak. */
const measure = async (work: () => Promise<unknown>): Promise<Measured> => {
  const before = process.memoryUsage().rss;
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 50);
  const startedAt = performance.now();
  try {
    await work();
    const seconds = (performance.now() - startedAt) / 1000;
    return { seconds, addedMegabytes: (peak - before) / megabyte };
  } finally {
    clearInterval(sampling);
  }
};

/** Copies the same rows from the database and discards them. */
const bareCopy = (url: string): Promise<Measured> =>
  measure(async () => {
    const client = new Client(url);
    await client.connect();
    const query = 'COPY (SELECT user_id, balance FROM holding WHERE balance > 0) TO STDOUT';
    let bytes = 0;
    for await (const piece of client.query(copyTo(query))) bytes += (piece as Buffer).length;
    if (bytes === 0) throw new Error('nothing was copied');
    await client.end();
  });

/** Only hashes as many leaves and nodes as the tree has. */
const bareHashing = (): Promise<Measured> =>
  measure(async () => {
    const [leaf, node] = [randomBytes(65), randomBytes(97)];
    for (let at = 0; at < holdings; at += 1) {
      createHash('sha256').update(leaf).digest();
      createHash('sha256').update(node).digest();
    }
  });

const makeStatement = async (database: Database): Promise<Measured> => {
  const clock = createSystemClock();
  const random = createRandom();
  const { db, inTransaction, readSnapshot } = database;
  const goldProvider = {
    code: 'safegold',
    getUser: async (providerUserId: string) =>
      done({ providerUserId, goldBalanceGrams: ZERO_GRAMS }),
  };
  const keys = readSigningKeys([randomBytes(32).toString('base64')]);
  const deps = { db, inTransaction, readSnapshot, clock, random, goldProvider, keys };
  const logger = createSilentLogger();
  const made = createProofOfGold(
    { ...deps, limits: runLimitsOf(10), logger },
    { confirmEveryMs: 60_000 },
  );
  const signal = new AbortController().signal;
  await made.sweeps[0]?.run(signal);
  const run = await db.proofRun.findFirstOrThrow();
  const context = { logger, jobId: '1', attempt: 1, maxAttempts: 1, signal };
  const measured = await measure(async () =>
    made.jobs['proof-of-gold.run']?.({ runId: run.id }, context),
  );
  const { status, detail } = await db.proofRun.findFirstOrThrow();
  if (status !== 'PUBLISHED') throw new Error(`${status}: ${JSON.stringify(detail)}`);
  return measured;
};

/** Reads the proofs of customers one after another. */
const readProofs = async ({ db }: Database) => {
  const rows = await db.holding.findMany({ take: proofs, select: { userId: true } });
  const times: number[] = [];
  let bytes = 0;
  for (const { userId } of rows) {
    const startedAt = performance.now();
    const proof = await readOwnProof(db, userId);
    times.push(performance.now() - startedAt);
    bytes = Math.max(bytes, Buffer.byteLength(JSON.stringify(proof)));
  }
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { median: at(0.5), p99: at(0.99), bytes };
};

/**
 * Measures a statement over a million holdings, beside a bare copy of its rows and bare hashing.
 */
export const proof = async (): Promise<Report> => {
  const stack = await openStack();
  const { migrateUrl, databaseUrl } = stack.addresses;
  const database = createDatabase({ url: databaseUrl, poolSize: 4, applicationName: 'bench' });
  try {
    await withConnection(migrateUrl, (client) => client.query(fillSql));
    const copied = await bareCopy(databaseUrl);
    const hashed = await bareHashing();
    const made = await makeStatement(database);
    const own = await readProofs(database);
    const rowOf = (name: string, { seconds, addedMegabytes }: Measured) => [
      name,
      seconds,
      addedMegabytes,
    ];
    return {
      how: [
        `Below HTTP, by the service's own code: ${holdings} customers with gold, all confirmed by`,
        'the provider before. The statement compares both sides, draws the order, writes leaves and',
        'tree, hashes, signs and publishes. Beside it, in the same run, a bare COPY of the same rows',
        `and as many bare hashes. Then ${proofs} customers read their own proofs one after another.`,
      ],
      tables: [
        {
          title: 'a million holdings; the aim is less than 60 s and 200 MB',
          columns: ['what', 's', 'MB more'],
          rows: [
            rowOf('bare COPY', copied),
            rowOf('bare hashing', hashed),
            rowOf('the statement', made),
          ],
        },
        {
          title: 'one proof; the aim is less than 5 ms and 3000 bytes',
          columns: ['median ms', '99th percentile ms', 'most bytes'],
          rows: [[own.median, own.p99, own.bytes]],
        },
      ],
      samples: { copied, hashed, made, own },
    };
  } finally {
    await database.close();
    await stack.stop();
  }
};
