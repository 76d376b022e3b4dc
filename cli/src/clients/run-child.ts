import { spawn } from 'node:child_process';
import type { CliDeps } from '../cli-deps.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../io/exit-codes.ts';

export interface ChildRequest {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
}

export interface ChildResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8');

/** Runs this Node with `args` to its end. @throws CliError when it can't be started or is killed. */
export const runChild = (deps: CliDeps, request: ChildRequest): Promise<ChildResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...request.args], {
      cwd: request.cwd,
      env: { ...request.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      signal: deps.signal,
    });
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.once('error', (error) => reject(new CliError(error.message, exitCodes.failed)));
    child.once('close', (code, signal) => {
      if (code === null) {
        reject(new CliError(`the command was ended by ${signal}`, exitCodes.failed));
        return;
      }
      resolve({ exitCode: code, stdout: textOf(stdout), stderr: textOf(stderr) });
    });
    // It may end without reading; what it says then is on its standard error.
    child.stdin.on('error', () => {});
    child.stdin.end(request.stdin);
  });
