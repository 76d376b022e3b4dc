import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { withConnection } from '../../backend/dev/stack/database-setup.ts';
import { createTestStack, type TestStack } from '../../backend/test/support/test-stack.ts';
import { exitCodes } from '../src/cli-error.ts';
import { deployRun } from '../src/deploys/deploy.types.ts';
import { golden, steadied } from './support/golden.ts';
import { repository, writeStackHome, type StackHome } from './support/stack-home.ts';
import { runInProcess } from './support/run-in-process.ts';

const deployed = z.object({ correlationId: z.string(), run: deployRun });
const listed = z.object({ items: z.array(deployRun) });

let stack: TestStack;
let home: StackHome;
let direct: Record<string, string>;

beforeAll(async () => {
  stack = await createTestStack();
  home = await writeStackHome(stack);
  await Promise.all([
    stack.start('sandbox', { SANDBOX_SETTLE_MS: '3600000' }),
    stack.start('admin'),
  ]);
  const { GITHUB_API_URL, GITHUB_OWNER, GITHUB_REPOSITORY, GITHUB_TOKEN } =
    stack.environmentOf('admin');
  direct = Object.fromEntries(
    Object.entries({ GITHUB_API_URL, GITHUB_OWNER, GITHUB_REPOSITORY, GITHUB_TOKEN }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
});

afterAll(async () => {
  await stack.stop();
  home.remove();
});

const goldctl = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runInProcess(args, { repository, env: { ...home.env, ...env } });

const runsSeen = z.object({
  items: z.array(z.object({ id: z.string(), title: z.string(), status: z.string() })),
});

/** Left to themselves the runs go on for an hour: ends the only one of a target that does. */
const endRun = async (target: string, conclusion: string): Promise<void> => {
  const url = `${stack.urlOf('sandbox')}/_control/runs`;
  const findRunning = async () => {
    const { items } = runsSeen.parse(await (await fetch(url)).json());
    return items.find(
      ({ title, status }) => title.startsWith(`Deploy ${target} `) && status !== 'completed',
    );
  };
  await expect.poll(findRunning, { timeout: 60_000 }).toBeDefined();
  const answer = await fetch(`${url}/${(await findRunning())?.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ conclusion }),
  });
  expect(answer.status).toBe(200);
};

/** Ports, ids of runs, times and correlation ids differ from run to run. */
const steady = (text: string): string =>
  steadied(text)
    .replaceAll(/127\.0\.0\.1:\d+/gu, '127.0.0.1:PORT')
    .replaceAll(/\b100000\d{5}\b/gu, '10000000000');

describe('by way of the admin API', () => {
  it('starts a deployment, follows its very run and tells how it ended', async () => {
    const following = goldctl(['deploy', 'trigger', 'backend', '--wait']);
    await endRun('backend', 'success');
    const { code, stdout, stderr } = await following;
    expect(steady(stdout)).toBe(golden('deploy-trigger.txt', steady(stdout)));
    expect(code).toBe(0);
    expect(stderr).toMatch(/^started deploy-backend\.yml as [\da-f-]{36}\n/u);
    expect(stderr).toMatch(/run \d+: completed, success\n$/u);
  });

  it('says how long to wait when one was started moments ago', async () => {
    // However long ago the test before started it.
    await withConnection(stack.database.migrateUrl, (client) =>
      client.query('UPDATE deploy_trigger SET at = clock_timestamp()'),
    );
    const { code, stderr } = await goldctl(['deploy', 'trigger', 'website']);
    expect(code).toBe(exitCodes.failed);
    expect(stderr).toMatch(/\(DEPLOY_TOO_SOON\)\n {2}Try again in \d+ s\.\n$/u);
  });

  it('shows the runs', async () => {
    const { code, stdout } = await goldctl(['deploy', 'runs', '--target', 'backend']);
    expect(steady(stdout)).toBe(golden('deploy-runs.txt', steady(stdout)));
    expect(code).toBe(0);
    const none = await goldctl(['deploy', 'runs', '--target', 'monitoring']);
    expect(none).toMatchObject({ code: 0, stdout: 'There are no runs.\n' });
  });

  it('refuses a target that there is not', async () => {
    expect((await goldctl(['deploy', 'trigger', 'moon'])).code).toBe(exitCodes.usage);
    expect((await goldctl(['deploy', 'runs', '--limit', '101'])).code).toBe(exitCodes.usage);
  });
});

const trigger = (...args: readonly string[]) =>
  goldctl(['deploy', 'trigger', 'website', '--direct', '-o', 'json', ...args], direct);

describe('straight to the CI', () => {
  it('starts a deployment and follows its very run, among others of the target', async () => {
    const first = trigger('--wait');
    await endRun('website', 'success');
    const before = deployed.parse(JSON.parse((await first).stdout));
    const second = trigger('--wait');
    await endRun('website', 'failure');
    const { code, stdout, stderr } = await second;
    const after = deployed.parse(JSON.parse(stdout));
    expect(before.run).toMatchObject({
      correlationId: before.correlationId,
      conclusion: 'success',
    });
    expect(after.run).toMatchObject({ correlationId: after.correlationId, conclusion: 'failure' });
    expect(code).toBe(exitCodes.failed);
    expect(stderr).toContain('the deployment of website ended with failure\n');
    const runs = await goldctl(['deploy', 'runs', '--direct', '-o', 'json'], direct);
    const ids = listed.parse(JSON.parse(runs.stdout)).items.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([before.run.id, after.run.id]));
  });

  it('does not wait unless told to', async () => {
    const { code, stdout } = await trigger();
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ target: 'website', branch: 'main' });
    await endRun('website', 'cancelled');
  });

  it('tells a token that is missing, and one that is not taken', async () => {
    const { GITHUB_TOKEN: _token, ...without } = direct;
    const missing = await goldctl(['deploy', 'runs', '--direct'], without);
    expect(missing).toMatchObject({ code: exitCodes.denied });
    expect(missing.stderr).toContain('GITHUB_TOKEN is not set');
    const wrong = { ...direct, GITHUB_TOKEN: 'a-wrong-token-nobody-may-see' };
    const refused = await goldctl(['deploy', 'trigger', 'website', '--direct'], wrong);
    expect(refused.code).toBe(exitCodes.denied);
    expect(refused.stderr).toContain('GitHub answered 401: Bad credentials');
    expect(refused.stderr).not.toContain('nobody-may-see');
  });

  it('tells a CI that is away, and that the trigger may have arrived', async () => {
    const away = { ...direct, GITHUB_API_URL: 'http://127.0.0.1:9' };
    const { code, stderr } = await goldctl(['deploy', 'trigger', 'website', '--direct'], away);
    expect(code).toBe(exitCodes.unreachable);
    expect(stderr).toContain('It may have started');
  });
});
