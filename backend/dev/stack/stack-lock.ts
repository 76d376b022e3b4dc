import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLineOf } from './process-control.ts';

/**
 * Runs work that only one command may do at a time to a stack.
 * @throws Error of one line if another command is doing it.
 */
export const withStackLock = async <T>(folder: string, work: () => Promise<T>): Promise<T> => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'lock');
  const mine = `${process.pid} ${await commandLineOf(process.pid)}`;
  if (existsSync(file)) {
    const [pid = '', ...words] = readFileSync(file, 'utf8').split(' ');
    const line = await commandLineOf(Number(pid));
    if (line !== '' && line === words.join(' ')) {
      throw new Error(`another command is at work on this stack (process ${pid}); wait for it`);
    }
    // A command that was killed left it behind.
    rmSync(file, { force: true });
  }
  writeFileSync(file, mine, { flag: 'wx' });
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
};
