import type { ClusterStep, DemoContext } from './cluster.types.ts';
import { describeTrouble } from './describe-trouble.ts';

const seconds = (sinceMs: number): string =>
  `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;

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
      const why = error instanceof Error ? error.message : String(error);
      context.print(`${indented(`FAILED: ${why}`)}\n`);
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
