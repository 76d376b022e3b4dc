import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { switchNames } from '../../src/config/variables.ts';
import { waitFor, type Kubectl } from './kubectl.ts';
import { mustRun } from './run-command.ts';
import { smallProcesses } from './small-processes.ts';
import type { StackRun } from './stack-run.ts';
import { testbedSecrets } from './testbed-secrets.ts';
import { readPods } from './watch-pods.ts';

/** The dependencies of every step. */
export interface StepDeps {
  readonly run: StackRun;
  readonly kubectl: Kubectl;
  readonly namespace: string;
  /** Name and tag of the backend's image, which the nodes have. */
  readonly image: string;
}

const settings = 'digital-gold-settings';
const gate = 'DIGITAL_SELL_ENABLED';
const gateFile = `/etc/digital-gold/settings/${gate}`;
const processes = 'app.kubernetes.io/part-of=digital-gold';
const customers = `${processes},app.kubernetes.io/component=customer`;
const adminSecrets = `${processes},app.kubernetes.io/component=digital-gold-admin`;
/** Makes the stack so, without a question. */
export const apply = ['up', '--yes', '--skip-preview', '--non-interactive'] as const;

/** A secret that is in nothing else, to be looked for. */
export const newSecret = (): string => `jwt-${randomBytes(24).toString('hex')}`;

/** Every file below a folder, one after another. */
const textOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

/** Fills the stack's file for this namespace and image, with the testbed's secrets. */
export const configure =
  ({ run, namespace, image }: StepDeps, jwtSecret: string) =>
  async () => {
    const [, repository, tag] = /^(.+):([^:/]+)$/u.exec(image) ?? [];
    assert.ok(repository !== undefined && tag !== undefined, `${image} is no name:tag`);
    const hosts = ['customer', 'admin', 'accounting'].map((api) => [
      `ingress.${api}.host`,
      `${api}.${namespace}.test`,
    ]);
    const { POSTGRES_IMAGE: postgres, REDIS_IMAGE: redis } = process.env;
    run.write({ values: smallProcesses });
    const secrets = Object.entries({ ...(await testbedSecrets()), JWT_SECRET: jwtSecret });
    await run.set(
      {
        namespace,
        'image.repository': repository,
        'image.tag': tag,
        ...Object.fromEntries(hosts),
        // Of its own, so that a step can break the service's image alone.
        'testbedValues.image.repository': repository,
        'testbedValues.image.tag': tag,
        ...(postgres === undefined ? {} : { 'testbedValues.postgres.image': postgres }),
        ...(redis === undefined ? {} : { 'testbedValues.redis.image': redis }),
      },
      Object.fromEntries(secrets.map(([variable, value]) => [`secrets.${variable}`, value])),
    );
  };

/** Expects the program itself to refuse, with a message and without a stack trace. */
export const refuseProd =
  ({ run }: StepDeps) =>
  async () => {
    await run.set({ tier: 'prod' });
    const { code, output } = await run.pulumi('preview', '--non-interactive');
    await run.set({ tier: 'dev' });
    assert.notEqual(code, 0);
    for (const key of ['appMode', 'image.digest', 'replicas.worker', 'secrets.PII_KEYRING']) {
      assert.match(output, new RegExp(`digital-gold:${key} `, 'u'));
    }
    assert.doesNotMatch(output, /at .+\.ts:\d+/u, 'the refusal shows a stack trace');
  };

/** Expects the pack to refuse an image tagged `latest`. The service's own chart refuses it before. */
export const refuseByPolicy =
  ({ run }: StepDeps, tag: string) =>
  async () => {
    await run.set({ 'testbedValues.image.tag': 'latest' });
    const pack = ['--policy-pack', 'policy/dist', '--non-interactive'];
    const refused = await run.pulumi('preview', ...pack);
    await run.set({ 'testbedValues.image.tag': tag });
    assert.notEqual(refused.code, 0);
    assert.match(refused.output, /fixed-images/u);
  };

/** Expects every pod of the namespace to be ready, or to have ended. */
export const expectAllReady =
  ({ namespace }: StepDeps) =>
  async () => {
    const pods = await mustRun('kubectl', ['-n', namespace, 'get', 'pods', '-o', 'json']);
    assert.match(pods, /digital-gold-worker-/u);
    // A Job's pod that failed, as the database was not there yet, has been made again.
    const waiting = readPods(pods).waiting.filter((one) => !one.endsWith('(failed)'));
    assert.deepEqual(waiting, []);
  };

/** Looks where somebody without the passphrase could. */
export const lookForSecrets =
  ({ run, namespace }: StepDeps, jwtSecret: string) =>
  async () => {
    const outputs = await run.must('stack', 'output', '--json', '--stack', namespace);
    const all = `${textOf(run.stateFolder)}${readFileSync(run.configFile, 'utf8')}${outputs}`;
    const inBase64 = Buffer.from(jwtSecret).toString('base64').slice(0, 40);
    assert.ok(
      !all.includes(jwtSecret),
      'a secret is in clear in the state, the file or the outputs',
    );
    assert.ok(!all.includes(inBase64), 'a secret is in the state as base64');
  };

/** Closes selling as an operator would, and waits until the running pods see it. */
export const closeTheGate =
  ({ kubectl }: StepDeps) =>
  async () => {
    const pods = await kubectl.names('pods', customers);
    await waitFor('true', () => kubectl.fileIn('digital-gold-customer', gateFile));
    await kubectl.setValue(settings, gate, 'false');
    await waitFor('false', () => kubectl.fileIn('digital-gold-customer', gateFile));
    assert.deepEqual(await kubectl.names('pods', customers), pods, 'a pod was restarted');
  };

/** Expects the switches to be as the operator left them. */
export const staysClosed = async ({ kubectl }: StepDeps): Promise<void> => {
  const data = await kubectl.configMap(settings);
  assert.equal(data[gate], 'false', 'the gate was opened again');
  assert.deepEqual(new Set(Object.keys(data)), new Set(switchNames));
};

/** Changes a secret: another Secret, other pods, and the old Secret is gone. */
export const rotate =
  ({ run, kubectl }: StepDeps) =>
  async () => {
    const [before] = await kubectl.names('secrets', adminSecrets);
    const pods = await kubectl.names('pods', customers);
    await run.set({}, { 'secrets.JWT_SECRET': newSecret() });
    await run.must(...apply);
    const after = await kubectl.names('secrets', adminSecrets);
    assert.equal(after.length, 1);
    assert.notEqual(after[0], before);
    assert.notDeepEqual(await kubectl.names('pods', customers), pods);
  };

/** Expects a destroy of a protected stack to be refused and to delete nothing. */
export const resistDestroy =
  ({ run, kubectl }: StepDeps) =>
  async () => {
    await run.set({ protect: 'true' });
    await run.must(...apply);
    const { code, output } = await run.pulumi('destroy', '--yes', '--non-interactive');
    assert.notEqual(code, 0);
    assert.match(output, /protect/u);
    assert.equal((await kubectl.names('deployments', processes)).length, 4);
  };
