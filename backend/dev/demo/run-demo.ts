import { ApiUnreachableError } from '@digital-gold/client';
import { createDemo } from './create-demo.ts';
import type { LocalProcesses } from './local-processes.ts';
import type { DemoEndpoints } from './read-endpoints.ts';
import { runSteps, type StepOutput } from './run-steps.ts';
import { story } from './story.ts';

interface RunDemoOptions extends StepOutput {
  readonly endpoints: DemoEndpoints;
  readonly local?: LocalProcesses;
}

const explain = (error: unknown): readonly string[] =>
  error instanceof ApiUnreachableError && error.message.includes('ECONNREFUSED')
    ? ['Is the stack up? ("make up")']
    : [];

/**
 * Plays the story step by step. Returns false if a step fails, after which it plays no further
 * step.
 */
export const runDemo = async ({
  endpoints,
  local,
  ...output
}: RunDemoOptions): Promise<boolean> => {
  const context = createDemo(endpoints, local);
  output.write(`\nA customer's story, against ${endpoints.customer}\n\n`);
  try {
    return await runSteps({ ...output, context, steps: story, explain });
  } finally {
    await context.close();
  }
};
