import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { setScreen } from './screen.ts';

const requireTerminal = (message: string, hint: string): void => {
  if (process.stdin.isTTY && process.stderr.isTTY) return;
  throw new CliError(message, exitCodes.usage, hint);
};

/** The names of the errors by which the libraries report Ctrl-C at a prompt. */
const interruptions = new Set(['ExitPromptError', 'AbortPromptError', 'AbortError']);

const asInterruption = (error: unknown): unknown =>
  error instanceof Error && interruptions.has(error.name)
    ? new CliError('interrupted', exitCodes.interrupted)
    : error;

/**
 * Prompts on the terminal without any echo of the input. The prompt is written to standard error, so
 * that results can be redirected.
 * @throws CliError usage if there is no terminal, interrupted after Ctrl-C
 */
const promptSecret = async (message: string, signal: AbortSignal): Promise<string> => {
  requireTerminal(
    'a password is required, and there is no terminal to prompt on',
    'Pass it on standard input with --password-stdin, or name its file in GOLDCTL_PASSWORD_FILE.',
  );
  const { default: password } = await import('@inquirer/password');
  try {
    return await password({ message }, { output: process.stderr, signal });
  } catch (error) {
    throw asInterruption(error);
  }
};

/** Prompts for a line on the terminal, with echo. */
const ask = async (question: string, signal: AbortSignal): Promise<string> => {
  const { createInterface } = await import('node:readline/promises');
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  // On a terminal, the reader gets Ctrl-C instead of the process.
  const interruption = new AbortController();
  reader.once('SIGINT', () => interruption.abort());
  try {
    const signals = AbortSignal.any([signal, interruption.signal]);
    return await reader.question(`${question} `, { signal: signals });
  } catch (error) {
    throw asInterruption(error);
  } finally {
    reader.close();
  }
};

/**
 * Prompts for a confirmation on the terminal. Only `y` and `yes` confirm.
 * @throws CliError usage if there is no terminal, interrupted after Ctrl-C
 */
const confirm = async (question: string, signal: AbortSignal): Promise<boolean> => {
  requireTerminal(
    'confirmation is required, and there is no terminal to prompt on',
    'Confirm with --yes.',
  );
  return /^y(?:es)?$/iu.test((await ask(`${question} [y/N]`, signal)).trim());
};

/** Creates the dependencies of the real process, with its streams, environment and clock. */
export const createTerminalDeps = (
  own: Pick<CliDeps, 'env' | 'signal' | 'repository' | 'version'>,
): CliDeps => {
  const { stdin, stdout, stderr } = process;
  setScreen(stdout, own.env);
  return {
    ...own,
    stdout: (text) => void stdout.write(text),
    stderr: (text) => void stderr.write(text),
    stdin: {
      isTty: stdin.isTTY,
      readAll: async () => (await import('node:stream/consumers')).text(stdin),
    },
    promptSecret: (message) => promptSecret(message, own.signal),
    ask: (question) => ask(question, own.signal),
    confirm: (question) => confirm(question, own.signal),
    now: () => new Date(),
    sleep: async (ms, signal) => {
      const { setTimeout: sleep } = await import('node:timers/promises');
      await sleep(ms, undefined, { signal: signal ?? own.signal });
    },
    isTty: stdout.isTTY,
  };
};
