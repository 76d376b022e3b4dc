import { ApiError, ApiUnreachableError } from '@digital-gold/client';
import { createDemo } from './create-demo.ts';
import { createPrinter, type Printer, type PrinterOptions } from './create-printer.ts';
import type { Demo, Step } from './demo.types.ts';
import { describeRefusal } from './expect-answer.ts';
import type { DemoEndpoints } from './read-endpoints.ts';
import { story } from './story.ts';

interface RunDemoOptions extends PrinterOptions {
  readonly endpoints: DemoEndpoints;
}

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Describes for people why a step failed. */
const describeFailure = (error: unknown): string => {
  if (error instanceof ApiError) return describeRefusal(error);
  const text = error instanceof Error ? error.message : String(error);
  const isRefused = error instanceof ApiUnreachableError && text.includes('ECONNREFUSED');
  return isRefused ? `${text}; is the stack up? ("make up")` : text;
};

/** Runs the steps until one fails; returns how many passed. */
const runSteps = async (demo: Demo, steps: readonly Step[], printer: Printer): Promise<number> => {
  for (const [index, { title, run }] of steps.entries()) {
    const begun = performance.now();
    try {
      const lines = await run(demo);
      printer.step(index + 1, title, performance.now() - begun, lines);
    } catch (error) {
      printer.failure(index + 1, title, describeFailure(error));
      return index;
    }
  }
  return steps.length;
};

/** Plays the story, step after step, and stops at the first that fails: false then. */
export const runDemo = async ({ endpoints, ...output }: RunDemoOptions): Promise<boolean> => {
  const printer = createPrinter(output);
  const demo = createDemo(endpoints);
  const begun = performance.now();
  printer.heading(`A customer's story, against ${endpoints.customer}`);
  let done: number;
  try {
    done = await runSteps(demo, story, printer);
  } finally {
    await demo.close();
  }
  const time = inSeconds(performance.now() - begun);
  const hasPassed = done === story.length;
  printer.line('');
  printer.line(
    hasPassed
      ? `All ${done} steps passed, in ${time}.`
      : `Stopped at step ${done + 1} of ${story.length}, after ${time}.`,
  );
  return hasPassed;
};
