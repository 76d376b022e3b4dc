import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { homeFolder } from './stack-run.ts';
import type { StepDeps } from './steps.ts';

const planSchema = z.object({ resourcePlans: z.record(z.string(), z.looseObject({})) });

/**
 * Sorts lists of names, since a resource's dependencies are a set, and leaves out what is encrypted,
 * which is so by another number each time.
 */
const comparable = (key: string, value: unknown): unknown => {
  if (key === 'ciphertext') return undefined;
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
    ? value.toSorted((one, other) => one.localeCompare(other))
    : value;
};

/** Returns a plan as text, without the random seeds, of which each preview draws new ones. */
const planOf = (file: string): string => {
  const { resourcePlans } = planSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  const plans = Object.entries(resourcePlans)
    .map(([urn, { seed: _seed, ...plan }]) => JSON.stringify([urn, plan], comparable))
    .toSorted((one, other) => one.localeCompare(other));
  return plans.join('\n');
};

/** Expects a saved preview to be the same twice. */
export const savePreview =
  ({ run, namespace }: StepDeps) =>
  async () => {
    await run.set({ 'environment.LOG_LEVEL': 'warn' });
    const save = async (folder: string) => {
      const previews = `${homeFolder}/${folder}`;
      rmSync(previews, { recursive: true, force: true });
      const { code, output } = await run.script(['deploy.sh', 'preview'], { PREVIEWS: previews });
      assert.equal(code, 0, output);
      return {
        text: readFileSync(`${previews}/${namespace}.txt`, 'utf8'),
        plan: `${previews}/${namespace}.plan.json`,
      };
    };
    const first = await save('first-preview');
    const second = await save('second-preview');
    assert.equal(second.text, first.text);
    assert.equal(planOf(second.plan), planOf(first.plan));
    assert.match(first.text, /LOG_LEVEL/u);
  };

/** Expects the last update to have said what it waits for, at least every fifteen seconds. */
export const saidWhatItWaitedFor =
  ({ run }: StepDeps) =>
  async () => {
    await Promise.resolve();
    assert.ok(run.said.length > 0, 'nothing was said');
    for (const { text } of run.said) assert.match(text, /waits for \S+ \(/u);
    const times = run.said.map(({ at }) => at);
    const longest = Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)));
    assert.ok(times.length < 2 || longest < 15_000, `nothing was said for ${longest} ms`);
  };
