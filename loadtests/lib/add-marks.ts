import { judgeMarks } from './mark-agreement.ts';
import type { MarkView, Report } from './report.types.ts';

/**
 * Adds the price feed's marks to a report, and verdicts on whether all sockets received the same tick
 * at each mark.
 */
export const addMarks = (
  report: Report,
  marks: readonly MarkView[],
  spreadP99Ms: number | undefined,
): Report => {
  const verdicts = [...report.verdicts, ...judgeMarks(marks, spreadP99Ms)];
  return { ...report, verdicts, ok: verdicts.every(({ ok }) => ok), marks };
};
