import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { mustRun, runCommand } from './run-command.ts';
import { runWatched } from './run-watched.ts';

/** Builds a house as it is before the stack comes: stores, and Secrets of another program. */

const charts = fileURLToPath(new URL('../../../charts', import.meta.url));
const testbedFile = `${charts}/digital-gold/ci/testbed-values.yaml`;

const valuesSchema = z.looseObject({
  config: z.record(z.string(), z.string()),
  networkPolicy: z.record(z.string(), z.unknown()),
});

/** Returns the environment and the values by which the service reaches a testbed. */
export const testbedReached = () => {
  const { config, networkPolicy, shutdown, probes } = valuesSchema.parse(
    parse(readFileSync(testbedFile, 'utf8')),
  );
  const { APP_MODE: _mode, ...environment } = config;
  return { environment, values: { networkPolicy, shutdown, probes } };
};

/** Waits until the stack has made its namespace, as a program that fills namespaces does. */
export const whenThere = async (namespace: string): Promise<void> => {
  for (let second = 0; second < 120; second += 1) {
    const args = ['get', 'namespace', namespace, '--ignore-not-found', '-o', 'name'];
    if ((await mustRun('kubectl', args)) !== '') return;
    await delay(1000);
  }
  throw new Error(`the stack has not made the namespace ${namespace} for two minutes`);
};

const applied = async (manifest: object): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'house-'));
  try {
    const file = join(folder, 'manifest.json');
    writeFileSync(file, JSON.stringify(manifest));
    await mustRun('kubectl', ['apply', '--server-side', '-f', file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** The Secret that stands for what Vault or External Secrets writes. */
const houseSecret = 'from-vault';

/** Writes the Secret of the house into a namespace, and returns the keys that name it. */
export const writeSecret = async (
  namespace: string,
  secrets: Readonly<Record<string, string>>,
): Promise<void> =>
  applied({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: houseSecret, namespace },
    stringData: Object.fromEntries(
      Object.entries(secrets).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  });

/** Returns `secretsFrom` of a stack for the Secret of the house. */
export const secretsFrom = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { name: houseSecret, key: name.toLowerCase() }]));

interface TestbedOptions {
  readonly namespace: string;
  readonly image: string;
  /** False for a database that a backup fills. */
  readonly seed: boolean;
}

/** Installs PostgreSQL, Redis and the sandbox beside the stack, with helm and not by Pulumi. */
export const installTestbed = async ({ namespace, image, seed }: TestbedOptions): Promise<void> => {
  const at = image.lastIndexOf(':');
  const { POSTGRES_IMAGE: postgres, REDIS_IMAGE: redis } = process.env;
  await mustRun('helm', [
    'upgrade',
    '--install',
    'testbed',
    `${charts}/digital-gold-testbed`,
    '-n',
    namespace,
    '--set',
    `purpose=test,seed.enabled=${String(seed)}`,
    '--set',
    `image.repository=${image.slice(0, at)},image.tag=${image.slice(at + 1)}`,
    ...(postgres === undefined ? [] : ['--set', `postgres.image=${postgres}`]),
    ...(redis === undefined ? [] : ['--set', `redis.image=${redis}`]),
  ]);
};

/** Runs a statement as the database's administrator, as soon as the database answers. */
export const sql = async (namespace: string, statement: string): Promise<string> => {
  const ask =
    'PGPASSWORD="$POSTGRES_PASSWORD" exec psql -h 127.0.0.1 -U postgres -d digital_gold' +
    ' --no-psqlrc --set ON_ERROR_STOP=1 -At -c "$0"';
  const args = ['-n', namespace, 'exec', 'testbed-postgres-0', '--', 'sh', '-c', ask, statement];
  let output = '';
  for (let second = 0; second < 120; second += 2) {
    const result = await runCommand('kubectl', args);
    if (result.code === 0) return result.stdout.trim();
    ({ output } = result);
    await delay(2000);
  }
  throw new Error(`${statement} found no end in two minutes\n${output}`);
};

/** A word that is in nothing else. */
export const newWord = (): string => randomBytes(32).toString('hex');

/** Waits until each StatefulSet has its pods. */
export const waitForRollout = async (
  namespace: string,
  ...statefulSets: readonly string[]
): Promise<void> => {
  for (const name of statefulSets) {
    const args = ['-n', namespace, 'rollout', 'status', `statefulset/${name}`, '--timeout=300s'];
    const { code, output } = await runWatched({ namespace, program: 'kubectl', args });
    if (code !== 0) throw new Error(output);
  }
};

/**
 * Brings the sandbox of one namespace to another with all it remembers: the outside parties outlive
 * a cluster that is lost.
 */
export const moveSandbox = async (from: string, to: string): Promise<void> => {
  const books = '/var/lib/sandbox';
  const pod = (namespace: string, flags = '') =>
    `kubectl -n ${namespace} exec ${flags} testbed-sandbox-0 -- tar -C ${books}`;
  await mustRun('sh', ['-c', `${pod(from)} -cf - books | ${pod(to, '-i')} --overwrite -xf -`]);
  // It reads its records once, at its start. It is killed, so that it writes none over them.
  await mustRun('kubectl', [
    '-n',
    to,
    'delete',
    'pod',
    'testbed-sandbox-0',
    '--force',
    '--grace-period=0',
  ]);
  await waitForRollout(to, 'testbed-sandbox');
};
