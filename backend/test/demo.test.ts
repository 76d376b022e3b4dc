import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalProcesses } from '../dev/demo/local-processes.ts';
import { runDemo } from '../dev/demo/run-demo.ts';
import { story } from '../dev/demo/story.ts';
import { describeEndpoints } from '../dev/stack/stack-files.ts';
import { sharedEnvironment } from '../dev/stack/environment.ts';
import { callTestServers } from './support/call-test-servers.ts';
import { createTestStack, type TestStack } from './support/test-stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await createTestStack();
  await stack.start('sandbox');
  await callTestServers('POST', '/builds/operator');
  const apps = ['customer', 'admin', 'accounting', 'worker'] as const;
  await Promise.all(apps.map((app) => stack.start(app)));
});

afterAll(() => stack.stop());

const play = async (onText: (text: string) => void = () => {}) => {
  const lines: string[] = [];
  const write = (text: string): void => {
    lines.push(text);
    onText(text);
  };
  const endpoints = describeEndpoints(stack.addresses);
  const local = createLocalProcesses({
    dist: join(import.meta.dirname, '..', 'dist'),
    environment: sharedEnvironment(stack.addresses),
    logs: dirname(stack.addresses.settingsDir),
  });
  const hasPassed = await runDemo({ endpoints, local, write, colours: false });
  return { hasPassed, printed: lines.join('') };
};

it('the demo tells the whole story', async () => {
  const { hasPassed, printed } = await play();
  // The story first: where it stopped, a failure shows the step and why.
  expect(printed).toContain(`All ${story.length} steps passed`);
  expect(hasPassed).toBe(true);
  expect(printed).not.toContain('left out');
  expect(printed).not.toContain('\u001b');
});

it('the demo loads from its sources, without what only a build can load', async () => {
  const script = `await import('./dev/demo/story.ts'); console.log('loaded')`;
  const load = ['--import', 'tsx', '--input-type=module', '-e', script];
  const cwd = `${import.meta.dirname}/..`;
  const { stdout } = await promisify(execFile)(process.execPath, load, { cwd });
  expect(stdout).toContain('loaded');
});

it('the demo names the step that fails and the code that the API answered', async () => {
  let planted: Promise<Response> | undefined;
  const fault = { collaborator: 'safegold', operation: 'buy-verify', fault: 'error', times: 1000 };
  // The story's first step takes every fault away.
  const { hasPassed, printed } = await play((text) => {
    if (!/^ *2 {2}/mu.test(text)) return;
    planted ??= fetch(`${stack.urlOf('sandbox')}/_control/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fault),
    });
  });
  expect((await planted)?.ok).toBe(true);
  expect(hasPassed).toBe(false);
  expect(printed).toMatch(
    /^11 {2}A quote for 0\.1 g\n {4}FAILED: POST \/v1\/gold\/quote answered 502 PROVIDER_UNAVAILABLE: /mu,
  );
  expect(printed).toContain(`Stopped at step 11 of ${story.length}`);
});
