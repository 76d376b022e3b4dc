import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeOperatorProgram } from './operator-answers.ts';
import { usualNow } from './run-in-process.ts';
import { readinessReport, startFakeProcess, type FakeProcess } from './fake-process.ts';

/** A local stack of processes whose responses a test sets. */
export interface FakeStack {
  /** Has the service's own command. */
  readonly repository: string;
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
  readonly settings: string;
  readonly customer: FakeProcess;
  readonly admin: FakeProcess;
  readonly accounting: FakeProcess;
  readonly worker: FakeProcess;
  close(): Promise<void>;
}

const writeSettings = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  const values = {
    DIGITAL_SELL_ENABLED: 'true',
    DIGITAL_GOLD_PAYMENT_ENABLED: 'true',
    ACCOUNTING_AUTO_POSTING_ENABLED: 'false',
    ACCOUNTING_PORTAL_MODE: 'readonly',
  };
  for (const [name, value] of Object.entries(values)) {
    writeFileSync(join(folder, name), `${value}\n`);
  }
};

/** Secrets of a stack, as its file has them. */
export const stackSecrets = {
  jwt: 'dev-only-jwt-secret-of-32-characters',
  pepper: 'dev-only-pepper-of-thirty-two-chars',
  password: 'database-pass-phrase',
} as const;

const stackEnvironment = `# The environment of the local stack.
APP_MODE=development
DATABASE_URL=postgresql://dgs_app:${stackSecrets.password}@127.0.0.1:5432/gold
CREDENTIAL_PEPPER=${stackSecrets.pepper}

# customer besides:
# PORT=4000
# JWT_SECRET=${stackSecrets.jwt}
`;

/** The work that waits for an operator. Nothing unless given. */
export const answerOperations = (
  { admin, worker }: Pick<FakeStack, 'admin' | 'worker'>,
  { reviews = 0, failed = 0, dead = 0, dueSeconds = 0, findings = 0, ranHoursAgo = 0 } = {},
): void => {
  const finishedAt = new Date(usualNow.getTime() - ranHoursAgo * 3_600_000).toISOString();
  const running = { finishedAt: null, summary: null };
  const done = { finishedAt, summary: { ok: 13 - findings, findings, errors: 0 } };
  admin.answer('/v1/reconciliation/runs?page=1&limit=10', 200, { items: [running, done] });
  admin.answer('/v1/dashboard/overview', 200, { orders: { manualReview: reviews } });
  admin.answer('/v1/payouts?status=FAILED&limit=1', 200, { total: failed });
  admin.answer('/v1/payouts?status=REVERSED&limit=1', 200, { total: 0 });
  const lines = [
    '# TYPE job_queue_dead gauge',
    `job_queue_dead{queue="main"} ${dead}`,
    `job_queue_oldest_due_seconds ${dueSeconds}`,
  ];
  worker.answer('/metrics', 200, lines.join('\n'));
};

/** Starts one in which all is well, and writes the files by which goldctl finds it. */
export const startFakeStack = async (): Promise<FakeStack> => {
  const [customer, admin, accounting, worker] = await Promise.all([
    startFakeProcess(),
    startFakeProcess(),
    startFakeProcess(),
    startFakeProcess(),
  ]);
  admin.answer('/v1/readiness', 200, readinessReport());
  answerOperations({ admin, worker });
  const folder = mkdtempSync(join(tmpdir(), 'fake-stack-'));
  const home = join(folder, 'stack');
  writeOperatorProgram(folder);
  const settings = join(home, 'settings');
  writeSettings(settings);
  const endpoints = {
    customer: customer.url,
    admin: admin.url,
    accounting: accounting.url,
    sandbox: admin.url,
    internal: {
      customer: customer.url,
      admin: admin.url,
      accounting: accounting.url,
      worker: worker.url,
    },
    settingsDir: settings,
  };
  writeFileSync(join(home, 'env'), stackEnvironment);
  writeFileSync(join(home, 'endpoints.json'), JSON.stringify(endpoints));
  return {
    env: { STACK_HOME: home, XDG_CONFIG_HOME: folder, GOLDCTL_TOKEN: 'token-of-an-operator' },
    repository: folder,
    home,
    settings,
    customer,
    admin,
    accounting,
    worker,
    close: async () => {
      await Promise.all([customer, admin, accounting, worker].map((process) => process.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
