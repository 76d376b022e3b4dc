import { existsSync, readFileSync } from 'node:fs';
import { runOrThrow } from '../../dev/stack/run-command.ts';

/** Linux counts a process's time in hundredths of a second. */
const tickMs = 10;

/** The processor time that a process has used, in ms; NaN where the system does not tell. */
export const cpuMsOf = (pid: number): number => {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return Number.NaN;
  // The name of the program, in brackets, may hold anything; the figures follow it.
  const figures = readFileSync(file, 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ');
  return (Number(figures[11]) + Number(figures[12])) * tickMs;
};

/** The memory that a process holds, in MB (resident set). */
export const residentMbOf = async (pid: number): Promise<number> =>
  Number((await runOrThrow('ps', ['-o', 'rss=', '-p', String(pid)])).trim()) / 1024;
