import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { eventually } from './eventually.ts';
import { openCuttableServer } from './cuttable-server.ts';
import { startProcess } from './start-process.ts';
import { createTestStack, type TestStack } from './test-stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await createTestStack({ seeded: false });
});

afterAll(async () => {
  await stack.stop();
});

const clock = async (url: string): Promise<number> => {
  const response = await fetch(`${url}/_control/clock`);
  return z.object({ offsetSeconds: z.number() }).parse(await response.json()).offsetSeconds;
};

it('the test system starts processes on ports of the stack, kills them and starts them again', async () => {
  const first = await stack.start('sandbox');
  expect(first.url).toBe(stack.urlOf('sandbox'));
  const replica = await stack.start('sandbox');
  expect(replica.url).not.toBe(first.url);
  expect(await clock(replica.url)).toBe(0);

  expect(await first.kill('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  await expect(clock(first.url)).rejects.toThrow('fetch failed');
  const again = await stack.start('sandbox');
  expect(again.url).toBe(stack.urlOf('sandbox'));
  expect(await again.kill()).toEqual({ code: 0, signal: null });
  await eventually(() => again.log().includes('stopped'));
});

it('the test system says why a process did not start', async () => {
  await expect(startProcess('sandbox', { APP_MODE: 'test' })).rejects.toThrow(
    /sandbox did not get ready:.*SAFEGOLD_TOKEN/su,
  );
  await expect(startProcess('nothing', {})).rejects.toThrow('there is no src/apps/nothing/main.ts');
});

it('the test system cuts a server off and gives it back', async () => {
  const sandbox = await stack.start('sandbox');
  const server = await openCuttableServer(sandbox.url);
  expect(await clock(server.url)).toBe(0);
  await server.cut();
  await expect(clock(server.url)).rejects.toThrow('fetch failed');
  await server.restore();
  expect(await clock(server.url)).toBe(0);
  await server.close();
});
