import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { parseConfig } from '../../../src/platform/config/config.ts';
import { createManualClock, type ManualClock } from '../../../src/platform/clock/manual-clock.ts';
import { createLogger } from '../../../src/platform/observability/index.ts';
import { sandboxVariables } from '../../../src/apps/sandbox/sandbox.variables.ts';
import { startSandbox } from '../../../src/apps/sandbox/start-sandbox.ts';
import {
  environmentOf,
  publishedDataKeys,
  type StackAddresses,
} from '../../../dev/stack/environment.ts';
import { applicationRole, asRole } from '../../../dev/stack/database-setup.ts';
import { writeMissingSwitches, type SwitchName } from '../../../dev/stack/switch-files.ts';
import { createCaller, type UntypedAnswer } from '../../support/caller.ts';
import { openWebhookRecorder, type WebhookRecorder } from './webhook-recorder.ts';
import { openProcesses, type Processes } from './open-processes.ts';
import { createWorkQueue, type WorkQueue } from './work-queue.ts';

/** The separate stores of one story. */
export interface StoreAddresses {
  readonly databaseUrl: string;
  readonly migrateUrl: string;
  readonly redisUrl: string;
}

/** Everything that a story plays on. */
export interface SimulatedSystem {
  readonly clock: ManualClock;
  readonly webhookRecorder: WebhookRecorder;
  readonly queue: WorkQueue;
  /** A client with the application's role, for reads behind the APIs. */
  readonly client: Client;
  readonly sandboxUrl: string;
  processes(): Processes;
  /**
   * Calls the sandbox's control API.
   * @throws Error if the sandbox refuses
   */
  control(method: string, path: string, body?: unknown): Promise<UntypedAnswer>;
  /** Calls the sandbox's control API, and also returns refusals. */
  tryControl(method: string, path: string, body?: unknown): Promise<UntypedAnswer>;
  setSwitch(name: SwitchName, value: string): void;
  /** Advances the clock of all processes, and ends the leases if the time is long enough. */
  advance(seconds: number): Promise<void>;
  /** Restarts the service's processes, which then keep this environment. */
  restart(env?: Readonly<Record<string, string>>): Promise<void>;
  /** Starts the processes again with a new first key of personal data. */
  addKey(id: string): Promise<void>;
  /** The newest lines of the log of warnings and errors. */
  logged(): string;
  close(): Promise<void>;
}

const keptLines = 400;

/** The longest lease of a row, in seconds. */
const longestLeaseSeconds = 120;

const leases = [
  ['idempotency_key', 'lease_until', 'holder_id'],
  ['provider_operation', 'lease_until', 'holder_id'],
  ['payment_order', 'lease_until', 'holder_id'],
  ['payout_attempt', 'lease_until', 'holder_id'],
  ['sip_plan', 'lease_until', 'holder_id'],
  ['bank_account', 'validation_lease_until', 'validation_holder_id'],
] as const;

const endLeases = async (client: Client): Promise<void> => {
  for (const [table, until, holder] of leases) {
    await client.query(
      `UPDATE ${table} SET ${until} = clock_timestamp()
       WHERE ${holder} IS NOT NULL AND ${until} > clock_timestamp()`,
    );
  }
};

const noPorts = {
  customer: 0,
  admin: 0,
  accounting: 0,
  customerInternal: 0,
  adminInternal: 0,
  accountingInternal: 0,
  workerInternal: 0,
  postgres: 0,
  redis: 0,
};

const openSandbox = async (clock: ManualClock, recorderUrl: string) => {
  const base = { ...noPorts, sandbox: 1 };
  const addresses = { mode: 'test', ports: base, sandboxDir: '' } as unknown as StackAddresses;
  const { SANDBOX_STATE_DIR: _, ...env } = environmentOf('sandbox', addresses);
  const config = parseConfig(sandboxVariables, env);
  return startSandbox({
    customerBaseUrl: recorderUrl,
    safegoldToken: config.SAFEGOLD_TOKEN,
    gatewayKeyId: config.SANDBOX_GATEWAY_KEY_ID,
    gatewayKeySecret: config.SANDBOX_GATEWAY_KEY_SECRET,
    gatewayWebhookSecrets: config.SANDBOX_GATEWAY_WEBHOOK_SECRETS,
    cashfreeClientId: config.CASHFREE_CLIENT_ID,
    cashfreeClientSecret: config.CASHFREE_CLIENT_SECRET,
    cashfreeWebhookSecrets: config.CASHFREE_WEBHOOK_SECRETS,
    razorpayKeyId: config.RAZORPAY_KEY_ID,
    razorpayKeySecret: config.RAZORPAY_KEY_SECRET,
    razorpayWebhookSecrets: config.RAZORPAY_WEBHOOK_SECRETS,
    msg91AuthKey: config.MSG91_AUTH_KEY,
    razorpayxKeyId: config.RAZORPAYX_KEY_ID,
    razorpayxKeySecret: config.RAZORPAYX_KEY_SECRET,
    razorpayxAccountNumber: config.RAZORPAYX_ACCOUNT_NUMBER,
    payoutWebhookSecrets: config.PAYOUT_WEBHOOK_SECRETS,
    githubToken: config.GITHUB_TOKEN,
    settleMs: 0,
    hangMs: 15,
    systemClock: clock,
  });
};

/** Creates a logger that keeps its last lines. */
const createLog = () => {
  let lines: string[] = [];
  const write = (line: string): void => {
    lines.push(line);
    if (lines.length > 2 * keptLines) lines = lines.slice(-keptLines);
  };
  const logger = createLogger({ level: 'warn', name: 'simulated', destination: { write } });
  return { logger, read: () => lines.slice(-keptLines).join('') };
};

/** Opens the whole service and its collaborators in this process, on the stores given. */
export const openSystem = async (
  stores: StoreAddresses,
  startsAt: Date,
): Promise<SimulatedSystem> => {
  const folder = mkdtempSync(join(tmpdir(), 'digital-gold-simulation-'));
  const settingsDir = join(folder, 'settings');
  writeMissingSwitches(settingsDir);
  const clock = createManualClock(startsAt);
  const webhookRecorder = await openWebhookRecorder();
  const sandbox = await openSandbox(clock, webhookRecorder.url);
  const addresses: StackAddresses = {
    mode: 'test',
    ports: { ...noPorts, sandbox: Number(new URL(sandbox.url).port) },
    ...stores,
    settingsDir,
    objectsDir: join(folder, 'objects'),
    sandboxDir: '',
  };
  const log = createLog();
  // This connects to the server directly, since a pooler in transaction mode does not keep prepared
  // statements.
  const client = new Client({ connectionString: asRole(stores.migrateUrl, applicationRole) });
  await client.connect();
  let env: Readonly<Record<string, string>> = {
    ADMIN_TOKEN_TTL_SECONDS: '86400',
    REDIS_TIMEOUT_MS: '30000',
    REFERRAL_REWARD_PAISE: '10000',
  };
  const open = () => openProcesses({ addresses, clock, logger: log.logger, env });
  let processes = await open();
  const call = createCaller(`${sandbox.url}/_control`);
  const restart = async (changes: Readonly<Record<string, string>> = {}): Promise<void> => {
    await processes.close();
    env = { ...env, ...changes };
    processes = await open();
  };

  return {
    clock,
    webhookRecorder,
    client,
    sandboxUrl: sandbox.url,
    queue: createWorkQueue({
      client,
      tasks: () => processes.workers.map(({ tasks }) => tasks),
      logger: () => log.logger,
    }),
    processes: () => processes,
    async control(method, path, body) {
      const answer = await call(method, path, body);
      if (answer.status >= 300)
        throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
      return answer;
    },
    tryControl: call,
    setSwitch: (name, value) => writeFileSync(join(settingsDir, name), `${value}\n`),
    async advance(seconds) {
      clock.advance(seconds * 1000);
      if (seconds < longestLeaseSeconds) return;
      await endLeases(client);
      const { redis } = processes;
      const locks = await redis.keys('lock:sell:*');
      if (locks.length > 0) await redis.del(...locks);
    },
    restart,
    async addKey(id) {
      const key = Buffer.from(id.padEnd(32, '.').slice(0, 32)).toString('base64');
      const known = env['PII_KEYRING'] ?? publishedDataKeys.PII_KEYRING;
      await restart({ PII_KEYRING: `${id}:${key},${known}` });
    },
    logged: log.read,
    async close() {
      await processes.close();
      webhookRecorder.close();
      await Promise.all([sandbox.stop(), client.end()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
