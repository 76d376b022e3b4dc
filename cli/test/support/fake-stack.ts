import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readinessReport, startFakeProcess, type FakeProcess } from './fake-process.ts';

/** A local stack of processes whose responses a test sets. */
export interface FakeStack {
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

/** The work that waits for an operator. Nothing unless given. */
export const answerOperations = (
  { admin, worker }: Pick<FakeStack, 'admin' | 'worker'>,
  { reviews = 0, failed = 0, dead = 0, dueSeconds = 0 } = {},
): void => {
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
  writeFileSync(join(home, 'endpoints.json'), JSON.stringify(endpoints));
  return {
    env: { STACK_HOME: home, XDG_CONFIG_HOME: folder, GOLDCTL_TOKEN: 'token-of-an-operator' },
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
