import { CommanderError } from 'commander';
import type { CliDeps } from './cli-deps.ts';
import { CliError, exitCodes, type ExitCode } from './cli-error.ts';
import { createProgram } from './create-program.ts';
import { showable, showableLines } from './io/showable.ts';

const codeOf = (deps: CliDeps, error: unknown): ExitCode => {
  if (deps.signal.aborted) return exitCodes.interrupted;
  if (error instanceof CommanderError) {
    // Commander ends help and version this way. For errors, it has already printed the message.
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
  if (error instanceof CliError) {
    if (error.exitCode === exitCodes.interrupted) return error.exitCode;
    deps.stderr(`goldctl: ${showable(error.message)}\n`);
    if (error.hint !== undefined) deps.stderr(`  ${error.hint}\n`);
    return error.exitCode;
  }
  deps.stderr(`goldctl: ${showable(error instanceof Error ? error.message : String(error))}\n`);
  return exitCodes.failed;
};

/** Makes progress and hints showable, since they may contain external names of pods or files. */
const withShowableProgress = (deps: CliDeps): CliDeps => ({
  ...deps,
  stderr: (text) => deps.stderr(showableLines(text)),
});

/** Runs a command line, without the names of node and the script. Returns the exit code. */
export const runGoldctl = async (args: readonly string[], own: CliDeps): Promise<ExitCode> => {
  const deps = withShowableProgress(own);
  try {
    const program = await createProgram(deps, args);
    await program.parseAsync([...args], { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    return codeOf(deps, error);
  }
};
