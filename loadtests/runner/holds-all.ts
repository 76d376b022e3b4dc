import { existsSync, readFileSync } from 'node:fs';
import type { Report } from '../lib/report.types.ts';

/**
 * Returns false where a suite's report has a verdict that k6 knows nothing of, such as one about what
 * all sockets heard together. A suite that wrote no report is judged by k6 alone.
 */
export const holdsAll = (reportFile: string): boolean => {
  if (!existsSync(reportFile)) return true;
  const report = JSON.parse(readFileSync(reportFile, 'utf8')) as Pick<Report, 'ok'>; // as written
  return report.ok;
};
