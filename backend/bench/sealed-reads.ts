import { randomInt, randomUUID } from 'node:crypto';
import { withConnection } from '../dev/stack/database-setup.ts';
import { sandboxDefaults } from '../src/apps/sandbox/sandbox-options.ts';
import { startSandbox } from '../src/apps/sandbox/start-sandbox.ts';
import { createSystemClock } from '../src/platform/clock/clock.ts';
import { createTimers } from '../src/platform/clock/timers.ts';
import { createVault, type Vault } from '../src/platform/crypto/index.ts';
import { createDatabase, type Db } from '../src/platform/db/index.ts';
import { createRandom } from '../src/platform/ids/random.ts';
import { openKeyring } from '../src/runtime/open-keyring.ts';
import { openStack, type BenchStack } from './support/open-stack.ts';
import type { Report } from './support/report.ts';
import { median, medianRatio, quantile } from './support/statistics.ts';

const rounds = 15;
const callsPerRound = 400;
const context = { purpose: 'bench', column: 'kyc_record.pan', row: '1' };
const ownKeyring = `k1:${Buffer.alloc(32, 'k').toString('base64')}`;
const noCache = { get: () => undefined, put: () => {}, drop: () => {} };
const silent = (): void => {};

interface Side {
  readonly name: string;
  readonly read: () => Promise<unknown>;
}

/** A customer, whose data key is old enough to be kept in memory after a read. */
const addCustomer = async ({ addresses }: BenchStack): Promise<string> => {
  const id = randomUUID();
  await withConnection(addresses.migrateUrl, (client) =>
    client.query(
      `INSERT INTO app_user (id, phone, phone_hash, referral_code, created_at, updated_at)
       VALUES ($1::uuid, $2, $3, $3, now(), now())`,
      [id, `+919${String(randomInt(1e9)).padStart(9, '0')}`, id],
    ),
  );
  return id;
};

const sideOf = async (
  { migrateUrl }: BenchStack['addresses'],
  db: Db,
  {
    name,
    vault,
    userId,
  }: { readonly name: string; readonly vault: Vault; readonly userId: string },
): Promise<Side> => {
  const sealed = (await vault.forUser(db, userId)).seal('ABCPE1234F', context);
  await withConnection(migrateUrl, (client) =>
    client.query(
      `UPDATE user_data_key SET created_at = now() - interval '1 hour' WHERE user_id = $1`,
      [userId],
    ),
  );
  return {
    name,
    read: async () => (await vault.forUser(db, userId)).open(sealed, context),
  };
};

const measure = async (sides: readonly Side[]): Promise<Map<string, number[]>> => {
  const samples = new Map<string, number[]>();
  for (let round = -1; round < rounds; round += 1) {
    const order = round % 2 === 0 ? sides : sides.toReversed();
    for (const { name, read } of order) {
      const startedAt = performance.now();
      for (let call = 0; call < callsPerRound; call += 1) await read();
      const each = ((performance.now() - startedAt) / callsPerRound) * 1000;
      // The round before the first warms the caches.
      if (round >= 0) samples.set(name, [...(samples.get(name) ?? []), each]);
    }
  }
  return samples;
};

/** Opens a keyring as a process does: of its own, or wrapped by AWS KMS. */
const openKeys = (db: Db, sandboxUrl: string, keyService: 'none' | 'aws-kms') =>
  openKeyring(
    keyService === 'none' ? ownKeyring : undefined,
    {
      APP_MODE: 'test',
      KEY_SERVICE: keyService,
      AWS_KMS_BASE_URL: `${sandboxUrl}/aws-kms`,
      AWS_KMS_REGION: 'ap-south-1',
      AWS_KMS_KEY_ID: 'alias/digital-gold',
      AWS_KMS_ACCESS_KEY_ID: sandboxDefaults.awsKmsAccessKeyId,
      AWS_KMS_SECRET_ACCESS_KEY: 'dev-only-kms-secret-access-key',
    },
    {
      db,
      timers: createTimers(),
      random: createRandom(),
      adapter: { clock: createSystemClock(), logger: { debug: silent, warn: silent } },
    },
  );

/** A read of a sealed value by the keyring in the environment and by one that AWS KMS wraps. */
export const sealedReads = async (): Promise<Report> => {
  const stack = await openStack();
  const sandbox = await startSandbox();
  const url = stack.addresses.databaseUrl;
  const database = createDatabase({ url, poolSize: 2, applicationName: 'bench' });
  const { db } = database;
  const keyrings = (['none', 'aws-kms'] as const).map((one) => openKeys(db, sandbox.url, one));
  try {
    const sides: Side[] = [];
    for (const [at, keys] of keyrings.entries()) {
      await keys.read();
      const from = at === 0 ? 'keyring' : 'AWS KMS';
      const { keyring } = keys;
      for (const [name, vault] of [
        ['data key in memory', createVault({ keyring })],
        ['data key from its row', createVault({ keyring, cache: noCache })],
      ] as const) {
        const userId = await addCustomer(stack);
        sides.push(await sideOf(stack.addresses, db, { name: `${from}, ${name}`, vault, userId }));
      }
    }
    const samples = await measure(sides);
    const [base = []] = [...samples.values()];
    return {
      how: [
        "a sealed value read by the vault: look up its customer's data key, unwrap it, open the value.",
        `${rounds} rounds of ${callsPerRound} reads a side, in turns; AWS KMS is the sandbox's.`,
      ],
      tables: [
        {
          title: 'medians of the rounds; no read calls the key service',
          columns: ['keys from', 'µs', 'p95 µs', 'of the first'],
          rows: [...samples].map(([name, times]) => [
            name,
            median(times),
            quantile(times, 0.95),
            medianRatio(times, base),
          ]),
        },
      ],
      samples: Object.fromEntries(samples),
    };
  } finally {
    for (const keys of keyrings) await keys.close();
    await database.close();
    await sandbox.stop();
    await stack.stop();
  }
};
