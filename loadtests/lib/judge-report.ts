import { judgeMarks } from './mark-agreement.ts';
import type { MarkView, Report } from './report.types.ts';

/** Adds to a report what all sockets together say of the marks. */
export const withMarks = (
  report: Report,
  marks: readonly MarkView[],
  spreadP99Ms: number | undefined,
): Report => {
  const verdicts = [...report.verdicts, ...judgeMarks(marks, spreadP99Ms)];
  return { ...report, verdicts, ok: verdicts.every(({ ok }) => ok), marks };
};
