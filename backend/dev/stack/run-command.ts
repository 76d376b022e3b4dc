import { spawn, type SpawnOptions } from 'node:child_process';

export interface CommandResult {
  readonly code: number;
  /** Standard output and standard error, in the order of their arrival. */
  readonly output: string;
}

export type CommandOptions = Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'>;

/** Runs a command to its end. A command that can't be started answers with code 127. */
export const runCommand = (
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> =>
  new Promise((resolve) => {
    const child = spawn(command, [...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', (error) => resolve({ code: 127, output: error.message }));
    child.once('close', (code) => {
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') });
    });
  });

/**
 * Runs a command that must succeed.
 * @throws Error with the last lines of its output.
 */
export const runOrThrow = async (
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> => {
  const { code, output } = await runCommand(command, args, options);
  if (code !== 0) {
    throw new Error(`${command} ${args[0] ?? ''} failed (${code}): ${lastLines(output, 15)}`);
  }
  return output;
};

/** Returns the last lines of a text. */
export const lastLines = (text: string, count: number): string =>
  text.trimEnd().split('\n').slice(-count).join('\n');
