import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { forward, type Forward } from './forward.ts';
import {
  installTestbed,
  moveSandbox,
  secretsFrom,
  sql,
  testbedReached,
  waitForRollout,
  writeSecret,
} from './house.ts';
import { createKubectl } from './kubectl.ts';
import { mustRun } from './run-command.ts';
import type { Scenario, ScenarioOptions } from './scenario.types.ts';
import { smallProcesses } from './small-processes.ts';
import { createStackRun, homeFolder, type StackRun } from './stack-run.ts';
import { apply, configure, newSecret } from './steps.ts';
import { testbedSecrets } from './testbed-secrets.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const backup = `${homeFolder}/gold.dump`;

/** The operator whom the seed makes in a stack of dev, and whose password is published. */
const operator = {
  email: 'super-admin@digital-gold.example',
  password: 'dev-only-super-admin-password',
};

const migratePassword = async (): Promise<string> =>
  new URL((await testbedSecrets())['MIGRATE_DATABASE_URL'] ?? '').password;

/** Numbers of the rows that money hangs on, as one text. */
const booksOf = (namespace: string): Promise<string> =>
  sql(
    namespace,
    `SELECT (SELECT count(*) FROM gold_order) || ' orders, ' ||
            (SELECT count(*) FROM payment_order) || ' payments, ' ||
            (SELECT coalesce(sum(balance), 0) FROM holding) || ' g'`,
  );

/** Plays the customers' story, so that there are orders, gold and payouts to lose. */
const playStory = async (namespace: string): Promise<void> => {
  const opened: Forward[] = [];
  const open = async (service: string, port: number): Promise<string> => {
    const one = await forward(namespace, service, port);
    opened.push(one);
    return `127.0.0.1:${one.port}`;
  };
  try {
    const database = await open('testbed-postgres', 5432);
    const endpoints = {
      customer: `http://${await open('digital-gold-customer', 80)}`,
      admin: `http://${await open('digital-gold-admin', 80)}`,
      accounting: `http://${await open('digital-gold-accounting', 80)}`,
      sandbox: `http://${await open('testbed-sandbox', 4010)}`,
      database: `postgresql://dgs_migrate:${await migratePassword()}@${database}/digital_gold`,
    };
    await mustRun('npx', ['tsx', 'charts/demo/src/play-at.ts'], {
      cwd: repository,
      env: { ...process.env, DEMO_ENDPOINTS: JSON.stringify(endpoints) },
    });
  } finally {
    for (const one of opened) one.close();
  }
};

interface Recovery {
  readonly run: StackRun;
  readonly namespace: string;
}

/** Runs the script of the runbook on a new database that a port-forward reaches. */
const recover = async ({ run, namespace }: Recovery) => {
  const database = await forward(namespace, 'testbed-postgres', 5432);
  const context = (await mustRun('kubectl', ['config', 'current-context'])).trim();
  const passwordFile = `${homeFolder}/operator.password`;
  writeFileSync(passwordFile, `${operator.password}\n`, { mode: 0o600 });
  try {
    return await run.script(['recover.sh', namespace, backup], {
      PGHOST: '127.0.0.1',
      PGPORT: String(database.port),
      PGDATABASE: 'digital_gold',
      PGUSER: 'dgs_migrate',
      PGPASSWORD: await migratePassword(),
      GOLDCTL: `node ${repository}/cli/bin/goldctl.mjs --context ${context} --namespace ${namespace}`,
      GOLDCTL_EMAIL: operator.email,
      GOLDCTL_PASSWORD_FILE: passwordFile,
    });
  } finally {
    database.close();
  }
};

/** Makes the new namespace, its empty stores, and the collaborators as they were. */
const makeGround = async (
  old: string,
  { run, namespace }: Recovery,
  image: string,
): Promise<void> => {
  const secrets = await testbedSecrets();
  const { environment, values } = testbedReached();
  run.write({
    namespace,
    testbed: undefined,
    appMode: 'test',
    settings: undefined,
    objectStore: { type: 's3' },
    environment,
    secretsFrom: secretsFrom(Object.keys(secrets)),
    values: { ...values, ...smallProcesses },
  });
  const at = image.lastIndexOf(':');
  await run.set({
    'image.repository': image.slice(0, at),
    'image.tag': image.slice(at + 1),
    'ingress.customer.host': `customer.${namespace}.test`,
    'ingress.admin.host': `admin.${namespace}.test`,
    'ingress.accounting.host': `accounting.${namespace}.test`,
  });
  const ground = ['cluster', 'foundation', 'namespace'].map((name) => `--target=**::${name}`);
  await run.must(...apply, ...ground);
  await writeSecret(namespace, secrets);
  await installTestbed({ namespace, image, seed: false });
  await waitForRollout(namespace, 'testbed-postgres', 'testbed-sandbox');
  await moveSandbox(old, namespace);
};

/**
 * Creates the steps of the part `recovery`: a stack with customers' orders is lost with its
 * database, and a new one is made from a backup by the script of the runbook.
 */
export const createRecoveryScenario = async ({
  namespace,
  image,
}: ScenarioOptions): Promise<Scenario> => {
  const [old, fresh] = [`${namespace}-lost`, `${namespace}-new`];
  const oldRun = await createStackRun(old);
  const freshRun = await createStackRun(fresh);
  const recovery = { run: freshRun, namespace: fresh };
  let books = '';
  mkdirSync(homeFolder, { recursive: true });
  const setUp = configure(
    { run: oldRun, kubectl: createKubectl(old), namespace: old, image },
    newSecret(),
  );
  return {
    steps: [
      {
        title: 'a stack with orders, gold and payouts',
        run: async () => {
          await setUp();
          await oldRun.must(...apply);
          await playStory(old);
        },
      },
      {
        title: 'its backup',
        run: async () => {
          books = await booksOf(old);
          const address = `postgresql://dgs_migrate:${await migratePassword()}@127.0.0.1/digital_gold`;
          const dump = `pg_dump --format custom --no-owner ${address}`;
          const exec = `kubectl -n ${old} exec testbed-postgres-0 -- ${dump} > ${backup}`;
          await mustRun('sh', ['-c', exec]);
        },
      },
      {
        title: 'new, empty stores; the collaborators remember what they did',
        run: () => makeGround(old, recovery, image),
      },
      {
        title: 'the old stack is gone with its data',
        run: async () => {
          await oldRun.must('destroy', '--yes', '--skip-preview', '--non-interactive');
          assert.equal(await createKubectl(old).exists(), false);
        },
      },
      {
        title: 'a recovery with an open gate is refused',
        run: async () => {
          await freshRun.set({ 'settings.DIGITAL_SELL_ENABLED': 'true' });
          const { code, output } = await recover(recovery);
          freshRun.write({ settings: undefined });
          assert.equal(code, 2, output);
          assert.match(output, /begins with closed gates/u);
        },
      },
      {
        title: 'the script of the runbook: the books are whole, reconciliation is clean',
        run: async () => {
          const { code, output } = await recover(recovery);
          process.stdout.write(output.replaceAll(/^(?=.)/gmu, '       '));
          assert.equal(code, 0, 'the recovery failed');
          assert.match(output, /reconciliation is clean/u);
          assert.equal(await booksOf(fresh), books);
          const gates = await createKubectl(fresh).configMap('digital-gold-settings');
          assert.equal(gates['DIGITAL_SELL_ENABLED'], 'false');
          assert.equal(gates['DIGITAL_GOLD_PAYMENT_ENABLED'], 'false');
        },
      },
      {
        title: 'run again, it restores nothing',
        run: async () => {
          const { code, output } = await recover(recovery);
          assert.equal(code, 0, output);
          assert.match(output, /has its tables already/u);
          assert.equal(await booksOf(fresh), books);
        },
      },
      {
        title: 'the new stack is taken down',
        run: async () => {
          await freshRun.must('destroy', '--yes', '--skip-preview', '--non-interactive');
          assert.equal(await createKubectl(fresh).exists(), false);
        },
      },
    ],
    close: () => Promise.resolve(),
  };
};
