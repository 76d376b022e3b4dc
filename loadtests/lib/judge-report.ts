import { judgeMarks } from './mark-agreement.ts';
import type { MarkView, Report } from './report.types.ts';

/** Adds the verdicts on the marks, which compare all sockets, to a report. */
export const withMarks = (
  report: Report,
  marks: readonly MarkView[],
  spreadP99Ms: number | undefined,
): Report => {
  const verdicts = [...report.verdicts, ...judgeMarks(marks, spreadP99Ms)];
  return { ...report, verdicts, ok: verdicts.every(({ ok }) => ok), marks };
};
