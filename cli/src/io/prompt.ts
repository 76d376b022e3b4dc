import { CliError } from '../cli-error.ts';
import { exitCodes } from './exit-codes.ts';

/**
 * Asks on the terminal; what is typed is not shown, not even as stars. The question goes to
 * standard error, so that results can be redirected.
 * @throws CliError usage off a terminal, interrupted at Ctrl-C.
 */
export const promptSecret = async (message: string, signal: AbortSignal): Promise<string> => {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CliError(
      'a password is needed, and there is no terminal to ask on',
      exitCodes.usage,
      'Give it on standard input with --password-stdin, or name its file in GOLDCTL_PASSWORD_FILE.',
    );
  }
  const { default: password } = await import('@inquirer/password');
  try {
    return await password({ message }, { output: process.stderr, signal });
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name !== 'ExitPromptError' && name !== 'AbortPromptError') throw error;
    throw new CliError('interrupted', exitCodes.interrupted);
  }
};
