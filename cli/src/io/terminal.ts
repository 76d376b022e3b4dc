import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import type { CliDeps } from '../cli-deps.ts';
import { confirm, promptSecret } from './prompt.ts';

/** The real world: this process's streams, environment and clock. */
export const createTerminalDeps = (
  own: Pick<CliDeps, 'env' | 'signal' | 'repository' | 'version'>,
): CliDeps => {
  const { stdin, stdout, stderr } = process;
  return {
    ...own,
    stdout: (text) => void stdout.write(text),
    stderr: (text) => void stderr.write(text),
    stdin: { isTty: stdin.isTTY, readAll: () => text(stdin) },
    promptSecret: (message) => promptSecret(message, own.signal),
    confirm: (question) => confirm(question, own.signal),
    now: () => new Date(),
    sleep: (ms, signal) => sleep(ms, undefined, { signal: signal ?? own.signal }),
    isTty: stdout.isTTY,
  };
};
