import { readFileSync } from 'node:fs';

const residentMb = (pid: number): number => {
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(found?.[1] ?? 0) / 1024);
};

/** Watches how much memory a process has: before, and at most. Linux alone says so. */
export const watchMemory = (
  pid: number,
): { readonly stop: () => { readonly before: number; readonly highest: number } } => {
  const before = residentMb(pid);
  let highest = before;
  const timer = setInterval(() => {
    highest = Math.max(highest, residentMb(pid));
  }, 500);
  return {
    stop: () => {
      clearInterval(timer);
      return { before, highest };
    },
  };
};
