import { ApiError } from '@digital-gold/client';
import { describeRefusal } from './expect-answer.ts';

/** A step of a run. It acts, checks the result, and returns lines that describe it. */
export interface StepOf<Context> {
  readonly title: string;
  readonly run: (context: Context) => Promise<readonly string[]>;
}

export interface StepOutput {
  readonly write: (text: string) => void;
  /** True to print colours, as on a terminal. */
  readonly colours: boolean;
}

interface RunStepsOptions<Context> extends StepOutput {
  readonly context: Context;
  readonly steps: readonly StepOf<Context>[];
  /** Returns further lines about a failure, besides its message. */
  readonly explain: (error: unknown) => readonly string[] | Promise<readonly string[]>;
}

/** Values that one step saves for the later ones. */
export interface StepState<State> {
  saveState<K extends keyof State>(name: K, value: State[K]): void;
  /** @throws Error when no earlier step saved it. */
  readState<K extends keyof State>(name: K): State[K];
}

export const createStepState = <State>(): StepState<State> => {
  const state: Partial<State> = {};
  return {
    saveState(name, value) {
      state[name] = value;
    },
    readState<K extends keyof State>(name: K): State[K] {
      const value = state[name];
      if (value === undefined) throw new Error(`no step before this one saved "${String(name)}"`);
      return value;
    },
  };
};

const describeFailure = (error: unknown): string => {
  if (error instanceof ApiError) return describeRefusal(error);
  return error instanceof Error ? error.message : String(error);
};

const secondsSince = (ms: number): string => `${((performance.now() - ms) / 1000).toFixed(1)} s`;

const indented = (text: string): string => `${text.replaceAll(/^/gmu, '    ')}\n`;

/**
 * Runs the steps one after the other. Returns false at the first step that fails. Each title is
 * printed as its step begins, since some steps take minutes. The text is the same with and without
 * colours.
 */
export const runSteps = async <Context>(options: RunStepsOptions<Context>): Promise<boolean> => {
  const { context, steps, write, colours, explain } = options;
  const painted = (code: number, text: string) =>
    colours ? `\u001b[${code}m${text}\u001b[0m` : text;
  const [bold, green, red] = [1, 32, 31];
  const begun = performance.now();
  for (const [index, { title, run }] of steps.entries()) {
    const stepBegun = performance.now();
    const number = String(index + 1).padStart(2);
    write(`${painted(bold, `${number}  ${title}`)}\n`);
    try {
      for (const line of await run(context)) write(indented(line));
      write(painted(green, indented(secondsSince(stepBegun))));
    } catch (error) {
      write(painted(red, indented(`FAILED: ${describeFailure(error)}`)));
      for (const line of await explain(error)) write(indented(line));
      write(`\nStopped at step ${index + 1} of ${steps.length}, after ${secondsSince(begun)}.\n`);
      return false;
    }
  }
  write(`\nAll ${steps.length} steps passed, in ${secondsSince(begun)}.\n`);
  return true;
};
