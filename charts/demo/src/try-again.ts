import type { ClusterStep } from './cluster.types.ts';

/** A machine that was too slow for a step is less so a while later. */
const pauseMs = 20_000;

/**
 * Returns the step with a second attempt. Use it only for a step that continues from where it is. A
 * step that counts failed requests does not, nor does the story.
 */
export const tryAgain = (step: ClusterStep): ClusterStep => ({
  ...step,
  async run(context) {
    try {
      return await step.run(context);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      context.print(`    tried once more, after: ${why.split('\n', 1)[0] ?? ''}\n`);
      await context.sleep(pauseMs);
      return step.run(context);
    }
  },
});
