import type { LoadReport } from './load.types.ts';

const inMs = (ms: number): string => `${ms.toFixed(0)} ms`;

/** A line for each target, and for each way in which its requests failed. */
export const describeLoad = (reports: readonly LoadReport[]): string[] =>
  reports.flatMap(({ name, connections, sent, failed, reasons, medianMs, slowestMs }) => [
    `${name.padEnd(34)} ${connections.padEnd(4)} connections: ${String(sent).padStart(5)} sent,` +
      ` ${failed} failed, median ${inMs(medianMs)}, slowest ${inMs(slowestMs)}`,
    ...[...reasons].map(([why, count]) => `    ${count} times: ${why}`),
  ]);

/** Counts the requests of all reports, and those of them that failed. */
export const countLoad = (reports: readonly LoadReport[]): { sent: number; failed: number } => ({
  sent: reports.reduce((sum, { sent }) => sum + sent, 0),
  failed: reports.reduce((sum, { failed }) => sum + failed, 0),
});
