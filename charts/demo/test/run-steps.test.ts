import { expect, it } from 'vitest';
import type { ClusterStep } from '../src/cluster.types.ts';
import { createWorld } from '../src/create-world.ts';
import { readOptions } from '../src/read-options.ts';
import { runSteps } from '../src/run-steps.ts';

const open = () => {
  let told = '';
  const system = createWorld({
    options: readOptions({}),
    repository: import.meta.dirname,
    kubeContext: 'no-such-context',
    say: (text) => {
      told += text;
    },
  });
  return { system, told: () => told };
};

const step = (title: string, run: ClusterStep['run']): ClusterStep => ({ title, run });

it('tells each step with what it found and its time', async () => {
  const { system, told } = open();
  const steps = [step('One', async () => ['a', 'b']), step('Two', async () => [])];
  expect(await runSteps(system, steps)).toBe(true);
  expect(told()).toMatch(/== 1 of 2: One\n {4}a\n {4}b\n-- \d+\.\d s\n\n== 2 of 2: Two\n-- /u);
  expect(told()).toMatch(/All 2 steps passed, in \d+\.\d s\.\n$/u);
});

it('stops at the first that fails, and says why', async () => {
  const { system, told } = open();
  const fail = step('One', () => Promise.reject(new Error('it is broken')));
  const never = step('Two', async () => ['never']);
  expect(await runSteps(system, [fail, never])).toBe(false);
  expect(told()).toContain('== 1 of 2: One\n    FAILED: it is broken\n\nStopped');
  expect(told()).toMatch(/Stopped at step 1 of 2, after \d+\.\d s\.\n$/u);
  expect(told()).not.toContain('never');
});

it('knows what an earlier step kept, and says when none did', () => {
  const { system } = open();
  expect(() => system.recall('roll')).toThrow('no step before this one kept "roll"');
  system.keep('roll', 'x');
  expect(system.recall('roll')).toBe('x');
});
