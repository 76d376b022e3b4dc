import type { Fault, Figures, HeldFault } from './hold.types.ts';

/** Counts the failed requests that are not of the fault's own kind. */
export const countRefused = ({ reasons }: Figures, { allowed }: Pick<Fault, 'allowed'>): number =>
  [...reasons]
    .filter(([reason]) => !allowed.some((kind) => kind.test(reason)))
    .reduce((sum, [, count]) => sum + count, 0);

const percent = (part: number, whole: number): string =>
  whole === 0 ? '0' : `${((part / whole) * 100).toFixed(1)} %`;

const describeFailures = ({ failed, sent, reasons, troubleSeconds }: Figures): string => {
  if (failed === 0) return '0';
  const kinds = [...reasons].map(([reason, count]) => `${count} ${reason.slice(0, 90)}`);
  return `${failed} (${percent(failed, sent)}) in ${troubleSeconds.toFixed(0)} s: ${kinds.join(', ')}`;
};

/** A row of a table for each fault. */
export const describeHold = (held: readonly HeldFault[]): string[] => [
  '| What happened | Requests | Failed | Median, 99 % | Also seen |',
  '|---|---|---|---|---|',
  ...held.map(
    ({ title, figures, seconds, told }) =>
      `| ${title} (${seconds.toFixed(0)} s) | ${figures.sent} | ${describeFailures(figures)} |` +
      ` ${figures.medianMs.toFixed(0)}, ${figures.p99Ms.toFixed(0)} ms | ${told} |`,
  ),
];
