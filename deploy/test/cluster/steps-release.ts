import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { changesOf } from './changes.ts';
import {
  installTestbed,
  newWord,
  secretsFrom,
  sql,
  testbedReached,
  whenThere,
  writeSecret,
} from './house.ts';
import { releasesOf } from './kubectl.ts';
import { testReleases } from './releases.ts';
import { mustRun } from './run-command.ts';
import { smallProcesses } from './small-processes.ts';
import type { StackRun } from './stack-run.ts';
import { apply } from './steps.ts';
import { testbedSecrets } from './testbed-secrets.ts';
import { refuseEach, violationsOfProd } from './violations.ts';

/** A stack of a release, in a namespace whose stores and Secrets the house brings. */
export interface ReleaseStack {
  readonly run: StackRun;
  readonly namespace: string;
  readonly image: string;
  /** Filled when the stack is configured. */
  readonly secrets: Record<string, string>;
}

const one = { customer: 1, admin: 1, accounting: 1, worker: 1 };

/** Configures a stack of the tier staging: the sandbox, and a kubeconfig in place of a context. */
export const configureStaging = async ({
  run,
  namespace,
  secrets,
}: ReleaseStack): Promise<void> => {
  Object.assign(secrets, await testbedSecrets());
  const { environment, values } = testbedReached();
  run.write({
    namespace,
    kubeContext: undefined,
    release: testReleases[0],
    appMode: 'test',
    replicas: one,
    objectStore: { type: 's3' },
    environment,
    secretsFrom: secretsFrom(Object.keys(secrets)),
    values: { ...values, ...smallProcesses },
  });
  await run.set(
    {},
    { kubeconfig: await mustRun('kubectl', ['config', 'view', '--raw', '--minify', '--flatten']) },
  );
};

/** Configures a stack of the tier prod on the cluster of the other one, by its output. */
export const configureProd =
  (staging: string) =>
  async ({ run, namespace, secrets }: ReleaseStack): Promise<void> => {
    const published = await testbedSecrets();
    const [application, migrate] = [newWord(), newWord()];
    // Neither the sandbox nor builds of other targets are named in this stack.
    const own = Object.keys(published).filter((name) => !/^(?:SANDBOX|GITHUB)_/u.test(name));
    Object.assign(secrets, Object.fromEntries(own.map((name) => [name, newWord()])), {
      PII_KEYRING: `k1:${Buffer.from(newWord(), 'hex').toString('base64')}`,
      BLIND_INDEX_KEY: Buffer.from(newWord(), 'hex').toString('base64'),
      CREDENTIAL_PEPPER: Buffer.from(newWord(), 'hex').toString('base64'),
      PROOF_SIGNING_KEYS: Buffer.from(newWord(), 'hex').toString('base64'),
      REDIS_URL: 'redis://testbed-redis:6379',
      DATABASE_URL: `postgresql://dgs_app:${application}@testbed-postgres:5432/digital_gold`,
      MIGRATE_DATABASE_URL: `postgresql://dgs_migrate:${migrate}@testbed-postgres:5432/digital_gold`,
    });
    run.write({
      namespace,
      kubeContext: undefined,
      references: {
        kubeconfig: { stack: `organization/digital-gold/${staging}`, output: 'kubeconfig' },
      },
      release: testReleases[0],
      replicas: undefined,
      maxReplicas: undefined,
      objectStore: { type: 's3' },
      secretsFrom: secretsFrom(Object.keys(secrets)),
      values: smallProcesses,
    });
    await run.set({
      'environment.ALLOW_PLAIN_STORES': 'true',
      'environment.S3_BASE_URL': 'https://objects.example',
      'environment.S3_BUCKET': 'objects',
      'environment.S3_ACCESS_KEY_ID': 'key-of-the-run',
    });
  };

const passwordOf = (address: string | undefined): string => new URL(address ?? '').password;

/** Brings the stores and the Secret as soon as the namespace is there, while the update waits. */
const bringHouse = async ({ namespace, image, secrets }: ReleaseStack): Promise<void> => {
  await whenThere(namespace);
  await writeSecret(namespace, secrets);
  await installTestbed({ namespace, image, seed: false });
  for (const [role, address] of [
    ['dgs_app', secrets['DATABASE_URL']],
    ['dgs_migrate', secrets['MIGRATE_DATABASE_URL']],
  ] as const) {
    await sql(namespace, `ALTER ROLE ${role} PASSWORD '${passwordOf(address)}'`);
  }
};

/** Makes the stack, with the policies, beside a house that fills its namespace. */
export const upWithHouse =
  (stack: ReleaseStack, configure: (stack: ReleaseStack) => Promise<void>) => async () => {
    await configure(stack);
    await Promise.all([
      stack.run.must(...apply, '--policy-pack', 'policy/dist'),
      bringHouse(stack),
    ]);
    await stack.run.must(...apply, '--expect-no-changes');
    assert.deepEqual(await releasesOf(stack.namespace), [`digital-gold-${testReleases[0]}`]);
  };

const stateSchema = z.object({
  deployment: z.object({ resources: z.array(z.object({ type: z.string() })) }),
});

/** Expects no Secret among a stack's resources, and none of the house's words in its state. */
export const holdsNoSecret =
  ({ run, namespace, secrets }: ReleaseStack) =>
  async () => {
    const state = await run.must('stack', 'export', '--show-secrets', '--stack', namespace);
    const { resources } = stateSchema.parse(JSON.parse(state)).deployment;
    const types = new Set(resources.map(({ type }) => type));
    assert.ok(types.has('kubernetes:apps/v1:Deployment'));
    assert.ok(!types.has('kubernetes:core/v1:Secret'), 'a Secret is a resource of the stack');
    // Opened, so that a secret that is kept encrypted is found as well.
    for (const [name, value] of Object.entries(secrets)) {
      const inBase64 = Buffer.from(value).toString('base64').slice(0, 40);
      if (name === 'REDIS_URL') continue;
      assert.ok(!state.includes(value), `${name} is in the state`);
      assert.ok(!state.includes(inBase64), `${name} is in the state as base64`);
    }
  };

/** Expects the policies of prod to stop an update for each object that breaks one. */
export const refuseInProd =
  ({ run, namespace }: ReleaseStack) =>
  async () => {
    await refuseEach(violationsOfProd, run, smallProcesses);
    const kinds = 'pod,ingress,deployment';
    const left = await mustRun('kubectl', ['-n', namespace, 'get', kinds, '-o', 'name']);
    assert.doesNotMatch(left, /\/refused$/mu, 'a refused object was made');
  };

/** Promotes a stack to the second release by one line of its file, and shows what that changes. */
export const promote =
  ({ run, namespace }: ReleaseStack) =>
  async () => {
    const [from, to] = testReleases;
    const before = readFileSync(run.configFile, 'utf8');
    const after = before.replace(`digital-gold:release: ${from}`, `digital-gold:release: ${to}`);
    const lines = after.split('\n');
    assert.equal(before.split('\n').filter((line, at) => line !== lines[at]).length, 1);
    writeFileSync(run.configFile, after);
    const changes = await changesOf(run);
    const made = changes.filter(({ op, what }) => op !== 'update' && !what.startsWith('Job '));
    assert.deepEqual(made, [], 'a release makes or deletes more than the job of its migrations');
    assert.ok(changes.length > 0);
    await run.must(...apply, '--policy-pack', 'policy/dist');
    assert.deepEqual(await releasesOf(namespace), [`digital-gold-${to}`]);
    await run.must(...apply, '--expect-no-changes');
  };

/** Deletes a stack with all that it protects. */
export const destroyWhole =
  ({ run, namespace }: ReleaseStack) =>
  async () => {
    const { code, output } = await run.pulumi('destroy', '--yes', '--non-interactive');
    assert.notEqual(code, 0, 'what is protected was destroyed');
    assert.match(output, /protect/u);
    await run.must('state', 'unprotect', '--all', '--yes', '--stack', namespace);
    await run.must('destroy', '--yes', '--skip-preview', '--non-interactive');
    const left = ['get', 'namespace', namespace, '--ignore-not-found', '-o', 'name'];
    assert.equal(await mustRun('kubectl', left), '');
  };
