import { spawn } from 'node:child_process';

export interface ToolResult {
  /** 127 when the program could not be started. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ToolOptions {
  /** Written to its standard input. */
  readonly stdin?: string;
  readonly cwd?: string;
}

/** Runs a program to its end. */
export const tryTool = (
  command: string,
  args: readonly string[],
  { stdin = '', cwd }: ToolOptions = {},
): Promise<ToolResult> =>
  new Promise((resolve) => {
    const child = spawn(command, [...args], { stdio: 'pipe', ...(cwd !== undefined && { cwd }) });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        texts[name] += chunk;
      });
    }
    child.once('error', (error) => resolve({ code: 127, stdout: '', stderr: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, ...texts }));
    // A program that reads no input may have ended before it is written to.
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
  });

/** The last lines of a text. */
const lastLines = (text: string, count: number): string =>
  text.trimEnd().split('\n').slice(-count).join('\n');

/** Runs a program that must succeed. Returns what it printed. @throws Error with its words */
export const runTool = async (
  command: string,
  args: readonly string[],
  options: ToolOptions = {},
): Promise<string> => {
  const { code, stdout, stderr } = await tryTool(command, args, options);
  if (code === 0) return stdout;
  const words = [stdout, stderr]
    .filter((text) => text.trim() !== '')
    .map((text) => lastLines(text, 30));
  throw new Error(`${command} ${args.slice(0, 3).join(' ')} failed (${code}): ${words.join('\n')}`);
};
