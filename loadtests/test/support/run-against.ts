import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { findK6 } from '../../runner/find-k6.ts';
import type { SuiteName } from '../../runner/options.ts';
import { runSuite } from '../../runner/run-suite.ts';
import type { Report } from '../../lib/report.types.ts';

const folder = join(import.meta.dirname, '..', '..');

interface SuiteResult {
  /** k6's own verdict: 99 where one of its thresholds did not hold. */
  readonly exitCode: number;
  /** The metrics of the failed thresholds, without their tags. */
  readonly failed: readonly string[];
  readonly report: Report;
  /** The report as text. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a suite by the real k6. @throws Error if there is none: then nothing is shown. */
export const runAgainst = async (
  suite: SuiteName,
  variables: Readonly<Record<string, string>>,
): Promise<SuiteResult> => {
  const k6 = findK6(process.env['PATH'] ?? '', join(folder, '..'));
  if (k6 === undefined) throw new Error('these tests need k6 on the PATH or in .tools/bin');
  const resultsDir = mkdtempSync(join(tmpdir(), 'loadtests-'));
  try {
    const env = { PATH: process.env['PATH'], RESULTS_DIR: resultsDir, ...variables };
    const outcome = await runSuite({ k6, folder, suite, env });
    const file = join(resultsDir, `${suite}.json`);
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report; // as the suite wrote it
    const failed = report.verdicts
      .filter(({ ok }) => !ok)
      .map(({ threshold }) => threshold.replace(/[{ ].*$/, ''));
    return { ...outcome, report, failed: [...new Set(failed)] };
  } finally {
    rmSync(resultsDir, { recursive: true });
  }
};
