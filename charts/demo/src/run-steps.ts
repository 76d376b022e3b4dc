import { ApiError } from '@digital-gold/client';
import type { ClusterStep, DemoContext } from './cluster.types.ts';
import { describeTrouble } from './describe-trouble.ts';

const seconds = (sinceMs: number): string =>
  `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;

/** Describes for people why a step failed: an API's message does not say who sent it. */
const describeFailure = (error: unknown): string => {
  if (error instanceof ApiError) return `${error.call} answered ${error.status}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
};

const indented = (text: string): string => text.replaceAll(/^/gmu, '    ');

/**
 * Goes through the steps, each with its time, and stops at the first that fails: false then, after
 * what the cluster says of it.
 */
export const runSteps = async (
  context: DemoContext,
  steps: readonly ClusterStep[],
): Promise<boolean> => {
  const begun = performance.now();
  for (const [index, { title, run }] of steps.entries()) {
    const stepBegun = performance.now();
    context.print(`\n== ${index + 1} of ${steps.length}: ${title}\n`);
    try {
      for (const line of await run(context)) context.print(`${indented(line)}\n`);
      context.print(`-- ${seconds(stepBegun)}\n`);
    } catch (error) {
      context.print(`${indented(`FAILED: ${describeFailure(error)}`)}\n`);
      for (const line of await describeTrouble(context)) context.print(`${indented(line)}\n`);
      context.print(
        `\nStopped at step ${index + 1} of ${steps.length}, after ${seconds(begun)}.\n`,
      );
      return false;
    }
  }
  context.print(`\nAll ${steps.length} steps passed, in ${seconds(begun)}.\n`);
  return true;
};
