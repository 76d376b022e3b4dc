import { existsSync, readFileSync } from 'node:fs';

/** Linux counts a process's time in hundredths of a second. */
const tickMs = 10;

const kilobytesEach = 1024;

/**
 * Reads the counters that Linux keeps of a process. Returns undefined on another system, or once
 * the process is gone.
 */
const readProcFile = (pid: number, file: 'stat' | 'status'): string | undefined => {
  const path = `/proc/${pid}/${file}`;
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

/**
 * Returns the processor time that a process has used, in ms, or NaN if the system does not report
 * it.
 */
export const cpuMsOf = (pid: number): number => {
  // The name of the program, in brackets, can contain any characters. The figures follow it.
  const figures = readProcFile(pid, 'stat')
    ?.replace(/^.*\) /su, '')
    .split(' ');
  return (Number(figures?.[11]) + Number(figures?.[12])) * tickMs;
};

/**
 * Returns the memory of a process, in MB (resident set), or NaN if the system does not report it.
 */
export const residentMbOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/mu.exec(readProcFile(pid, 'status') ?? '')?.[1]) / kilobytesEach;
