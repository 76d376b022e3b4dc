import { expect } from 'vitest';
import { createGoldProvider } from '../../src/adapters/gold-provider/create-gold-provider.ts';
import { withConnection } from '../../dev/stack/database-setup.ts';
import { developmentAdmins } from '../../dev/stack/development-accounts.ts';
import type { ProcessEnvironment } from '../../dev/stack/environment.ts';
import { adapterDeps, createRuntime, type Runtime } from '../../src/runtime/create-runtime.ts';
import { loadConfig } from '../../src/runtime/load-config.ts';
import { tokenVariables } from '../../src/runtime/process.variables.ts';
import { msBetween } from '../../src/platform/clock/clock.ts';
import { createSandboxControls, type SandboxControls } from './sandbox-controls.ts';
import { createCaller } from './caller.ts';
import { eventually } from './eventually.ts';
import { createFactories, type Factories } from './factories.ts';
import { assertInvariants } from './invariants.ts';
import { findLeaks, findUnreadable } from './invariants-log.ts';
import { lapseLeases } from './lapse-leases.ts';
import type { StartedProcess } from './start-process.ts';
import { createTestCustomer, type Call, type TestCustomer } from './test-customer.ts';
import { createTestStack, type TestStack } from './test-stack.ts';

/** The system's real processes on separate stores, for stories about buying gold. */
export interface RunningSystem {
  readonly stack: TestStack;
  readonly sandbox: SandboxControls;
  /**
   * Clients of this process on the same stores and the same clock. They are no part of the system.
   */
  readonly runtime: Runtime;
  readonly factories: Factories;
  /** Processes started by the system, the first of each app at its own port. */
  readonly processes: StartedProcess[];
  /** A customer who may buy: approved, and known to the provider. */
  newCustomer(): Promise<TestCustomer>;
  /** A caller of an API, with a separate address for each call. */
  as(token: string | undefined, api?: 'customer' | 'admin', url?: string): Call;
  /** An operator's caller, by the sign-in route. */
  signInAdmin(role?: keyof typeof developmentAdmins): Promise<Call>;
  startCustomer(changes?: ProcessEnvironment): Promise<StartedProcess>;
  startWorker(changes?: ProcessEnvironment): Promise<StartedProcess>;
  /** Moves business time forward and waits until the processes follow. */
  advance(seconds: number): Promise<void>;
  /** Ends every lease and every sale's lock: whoever held them was killed. */
  lapseLeases(): Promise<void>;
  query<T extends object>(sql: string, ...values: string[]): Promise<T[]>;
  /** Counts the confirms of a transaction that the provider executed. */
  purchases(txId: string): Promise<number>;
  /**
   * Hashes the rows of every table but what changes by itself: equal when nothing was written
   * between.
   */
  fingerprint(): Promise<Readonly<Record<string, string>>>;
  /** Lists the transitions of an order so far, such as `PENDING>PAID`. */
  transitions(orderId: string): Promise<string[]>;
  /**
   * Waits until an order has made a transition so many times (once), wherever it is by then: on a
   * busy machine a retry that is due in seconds may be over before anybody looks.
   */
  untilTransition(orderId: string, transition: string, times?: number): Promise<void>;
  /** Forgets faults, and holds the system to the invariants once it has settled. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

/** Short enough that nothing in a test waits for a sweep. The machine has two cores. */
const workerPace = { JANITOR_EVERY_MS: '700', EXPIRY_EVERY_MS: '700', DATABASE_POOL_SIZE: '6' };
/** Longer than any answer takes on a busy machine. */
const patience = {
  SAFEGOLD_TIMEOUT_MS: '10000',
  SANDBOX_GATEWAY_TIMEOUT_MS: '10000',
  RAZORPAYX_TIMEOUT_MS: '10000',
};

/** Returns how far a process's business time is from real time. */
const clockOffsetOf = async ({ internalUrl }: StartedProcess): Promise<number> => {
  const text = await (await fetch(`${internalUrl}/metrics`)).text();
  const [, seconds] = /^business_clock_offset_seconds\{.*\} (\S+)$/mu.exec(text) ?? [];
  return Number(seconds);
};

let calls = 0;
/** The limits of a client are tested elsewhere. Here no two calls come from the same client. */
const newAddress = (): string => {
  calls += 1;
  return `10.${(calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}`;
};

const openRuntime = async (stack: TestStack): Promise<Runtime> => {
  const env = { ...stack.environmentOf('customer'), LOG_LEVEL: 'fatal' };
  return createRuntime('story', loadConfig(tokenVariables, env), env);
};

/**
 * Ticks come by themselves, counts of refusals go when their minute has passed, and sweeps fold
 * what was written before into totals and prove holdings. Jobs and schedules are held to by what
 * they do.
 */
const restless = new Set([
  'figure_snapshot',
  // A worker says every few seconds that it lives.
  'job_pool',
  'price_snapshot',
  'refusal_count',
  'list_change',
  'list_total',
  'transaction_change',
  'transaction_total',
  'unproven_holding',
  // A use is counted before the work that it bounds, which may be refused.
  'use_window',
  '_prisma_migrations',
]);
/** The columns with the time of a row's last or next poll, which is made whenever it is due. */
const askedAt = `'{last_asked_at,reversals_asked_at,next_reversal_poll_at}'::text[]`;

const fingerprintOf = (url: string): Promise<Record<string, string>> =>
  withConnection(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
    );
    const printOf = ({ name }: { readonly name: string }): string =>
      `SELECT ${client.escapeLiteral(name)} AS name, count(*) || ' ' ||
         coalesce(sum(hashtextextended((to_jsonb(t) - ${askedAt})::text, 0)::numeric), 0) AS print
       FROM ${client.escapeIdentifier(name)} t`;
    const still = tables.filter(({ name }) => !restless.has(name));
    const { rows: prints } = await client.query<{ name: string; print: string }>(
      still.map(printOf).join(' UNION ALL '),
    );
    return Object.fromEntries(prints.map(({ name, print }) => [name, print]));
  });

export interface RunningSystemOptions {
  readonly customer?: ProcessEnvironment;
  /** Undefined: none is started yet. */
  readonly worker?: ProcessEnvironment | 'none';
  readonly withAdmin?: boolean;
  /** Of every customer API and worker, made when the stack's addresses are known. */
  readonly environment?: (stack: TestStack) => Promise<ProcessEnvironment>;
}

/** Starts the sandbox, the customer API, a worker, and the admin API if a story needs it. */
export const openRunningSystem = async (
  options: RunningSystemOptions = {},
): Promise<RunningSystem> => {
  const stack = await createTestStack();
  const processes: StartedProcess[] = [];
  /** Those that follow the sandbox's clock, until they are gone. */
  const followers = new Set<StartedProcess>();
  const start = async (app: 'customer' | 'admin' | 'worker' | 'sandbox', env = {}) => {
    const started = await stack.start(app, env);
    processes.push(started);
    if (app !== 'sandbox') {
      followers.add(started);
      void started.ended.then(() => followers.delete(started));
    }
    return started;
  };
  const common = { ...patience, ...(await options.environment?.(stack)) };
  const startCustomer = (env: ProcessEnvironment = {}) => start('customer', { ...common, ...env });
  const startWorker = (env: ProcessEnvironment = {}) =>
    start('worker', { ...common, ...workerPace, ...env });

  await start('sandbox');
  const sandbox = createSandboxControls(stack.urlOf('sandbox'));
  await Promise.all([
    startCustomer(options.customer),
    options.worker === 'none' ? undefined : startWorker(options.worker),
    options.withAdmin === true ? start('admin') : undefined,
  ]);
  const runtime = await openRuntime(stack);
  const { db, inTransaction } = runtime.database;
  const provider = createGoldProvider(stack.environmentOf('customer'), adapterDeps(runtime));
  const factories = createFactories({ ...runtime, db, inTransaction, provider });
  const secrets = new Set<string>();

  const as = (token: string | undefined, api: 'customer' | 'admin' = 'customer', url?: string) => {
    const base = `${url ?? stack.urlOf(api)}/v1`;
    const call: Call = (method, path, body) =>
      createCaller(base, {
        'x-forwarded-for': newAddress(),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      })(method, path, body);
    return call;
  };

  const query = <T extends object>(sql: string, ...values: string[]): Promise<T[]> =>
    withConnection(stack.database.databaseUrl, async (client) => {
      const { rows } = await client.query<T>(sql, values);
      return rows;
    });

  const transitions = async (orderId: string): Promise<string[]> => {
    const rows = await query<{ transition: string }>(
      `SELECT coalesce(from_status, '') || '>' || to_status AS transition
       FROM gold_order_event WHERE order_id = $1::uuid ORDER BY seq`,
      orderId,
    );
    return rows.map(({ transition }) => transition);
  };

  return {
    stack,
    sandbox,
    runtime,
    factories,
    processes,
    as,
    startCustomer,
    startWorker,
    query,

    async newCustomer() {
      const made = await factories.approvedCustomer();
      const { userId, phone, deviceId, sessionId } = made;
      for (const secret of [phone, phone.slice(3), made.token]) secrets.add(secret);
      // An access token lasts 15 minutes of a time that stories move: each call has a new one.
      const callAt =
        (url: string): Call =>
        (method, path, body) => {
          const claims = { sub: userId, phone, deviceId, jti: sessionId };
          return as(runtime.tokens.sign(claims, 15 * 60), 'customer', url)(method, path, body);
        };
      return createTestCustomer({ userId, phone }, callAt(stack.urlOf('customer')), callAt);
    },

    async signInAdmin(role = 'SUPER_ADMIN') {
      const answer = await as(undefined, 'admin')('POST', '/auth/login', developmentAdmins[role]);
      expect(answer.status).toBe(200);
      const token = String(answer.body['accessToken']);
      secrets.add(token);
      return as(token, 'admin');
    },

    async advance(seconds) {
      const { body } = await sandbox.control('POST', '/clock', { advanceSeconds: seconds });
      const ahead = Number(body['offsetSeconds']);
      const hasFollowed = async () => {
        const ours = msBetween(runtime.wall.now(), runtime.clock.now()) / 1000;
        const theirs = await Promise.all([...followers].map(clockOffsetOf));
        return [ours, ...theirs].every((offset) => Math.abs(offset - ahead) < 1);
      };
      await eventually(hasFollowed, { everyMs: 100 });
    },

    lapseLeases: () => lapseLeases(db, runtime.redis),

    async purchases(txId) {
      const confirms = await sandbox.journal('buy-confirm', txId);
      return confirms.filter(({ status, response }) => status === 200 && response !== '').length;
    },

    async fingerprint() {
      // The last event of a payment may come when its order has gone on already.
      await eventually(async () => {
        const { body } = await sandbox.control('GET', '/webhooks?state=waiting');
        expect(body['deliveries']).toEqual([]);
      });
      return fingerprintOf(stack.database.databaseUrl);
    },

    transitions,

    async untilTransition(orderId, transition, times = 1) {
      await eventually(async () => {
        const made = (await transitions(orderId)).filter((each) => each === transition);
        expect(made.length).toBeGreaterThanOrEqual(times);
      });
    },

    async check() {
      await sandbox.clearFaults();
      const at = { databaseUrl: stack.database.databaseUrl, sandboxUrl: sandbox.url };
      await eventually(() => assertInvariants(at), { timeoutMs: 60_000, everyMs: 200 });
      for (const started of processes) {
        const log = started.log();
        expect(findLeaks(log, secrets).join('\n'), `log of ${started.app}`).toBe('');
        expect(findUnreadable(log).join('\n'), `log of ${started.app}`).toBe('');
      }
    },

    async stop() {
      await provider.close();
      await runtime.close();
      await stack.stop();
    },
  };
};
