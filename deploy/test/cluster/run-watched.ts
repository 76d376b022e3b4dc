import { runCommand, type CommandResult } from './run-command.ts';
import { watchPods } from './watch-pods.ts';

/** A sentence that was said while something was waited for. */
export interface Said {
  readonly at: number;
  readonly text: string;
}

/** A program that waits for the pods of a namespace. */
export interface WatchedProgram {
  readonly namespace: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** True for a script, whose programs end with it. */
  readonly isGroup?: boolean;
  /** Gets what is said, in place of what it has. */
  readonly said?: Said[];
}

/**
 * Runs a program, says every few seconds what it waits for, and ends it when that can't come: by
 * itself it would wait for minutes.
 */
export const runWatched = async ({
  namespace,
  program,
  args,
  said = [],
  ...options
}: WatchedProgram): Promise<CommandResult> => {
  said.length = 0;
  const over = new AbortController();
  const given = new AbortController();
  const begun = performance.now();
  const tell = (text: string): void => {
    said.push({ at: performance.now() - begun, text });
    process.stdout.write(`${namespace}: ${text}\n`);
  };
  const [result, trouble] = await Promise.all([
    runCommand(program, args, { ...options, signal: given.signal }).finally(() => over.abort()),
    watchPods(namespace, over.signal, tell).then((found) => {
      if (found !== undefined) given.abort();
      return found;
    }),
  ]);
  if (trouble === undefined) return result;
  return { ...result, code: result.code || 1, output: `${trouble}\n${result.output}` };
};
