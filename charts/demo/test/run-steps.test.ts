import { ApiError } from '@digital-gold/client';
import { expect, it } from 'vitest';
import type { ClusterStep } from '../src/cluster.types.ts';
import { createDemoContext } from '../src/create-demo-context.ts';
import { readOptions } from '../src/read-options.ts';
import { runSteps } from '../src/run-steps.ts';

const open = () => {
  let printed = '';
  const context = createDemoContext({
    options: readOptions({}),
    repository: import.meta.dirname,
    kubeContext: 'no-such-context',
    print: (text) => {
      printed += text;
    },
  });
  return { context, printed: () => printed };
};

const step = (title: string, run: ClusterStep['run']): ClusterStep => ({ title, run });

it('prints each step with what it found and its time', async () => {
  const { context, printed } = open();
  const steps = [step('One', async () => ['a', 'b']), step('Two', async () => [])];
  expect(await runSteps(context, steps)).toBe(true);
  expect(printed()).toMatch(/== 1 of 2: One\n {4}a\n {4}b\n-- \d+\.\d s\n\n== 2 of 2: Two\n-- /u);
  expect(printed()).toMatch(/All 2 steps passed, in \d+\.\d s\.\n$/u);
});

it('stops at the first that fails, and says why', async () => {
  const { context, printed } = open();
  const fail = step('One', () => Promise.reject(new Error('it is broken')));
  const never = step('Two', async () => ['never']);
  expect(await runSteps(context, [fail, never])).toBe(false);
  expect(printed()).toContain('== 1 of 2: One\n    FAILED: it is broken\n\nStopped');
  expect(printed()).toMatch(/Stopped at step 1 of 2, after \d+\.\d s\.\n$/u);
  expect(printed()).not.toContain('never');
});

it('names the request that an API refused', async () => {
  const { context, printed } = open();
  const call = { call: 'GET /v1/price/current', baseUrl: 'http://gold.example' };
  const error = new ApiError(call, new Response('', { status: 503 }), undefined);
  expect(await runSteps(context, [step('One', () => Promise.reject(error))])).toBe(false);
  expect(printed()).toContain('FAILED: GET /v1/price/current answered 503: the response of http');
});

it('returns what an earlier step saved, and throws when none did', () => {
  const { context } = open();
  expect(() => context.readState('roll')).toThrow('no step before this one saved "roll"');
  context.saveState('roll', 'x');
  expect(context.readState('roll')).toBe('x');
});
