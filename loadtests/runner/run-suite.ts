import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { SuiteName } from './options.ts';

/** k6 ends with this when a threshold does not hold. */
export const thresholdsFailed = 99;

interface SuiteRun {
  readonly k6: string;
  /** The folder of the load tests. */
  readonly folder: string;
  readonly suite: SuiteName;
  /** The environment of the process. The suites read their settings from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes k6's own page of the run there. Returns none for short runs. */
  readonly htmlFile?: string;
}

interface SuiteOutcome {
  /** 0, 99 if a threshold did not hold, or what else k6 ended with. */
  readonly exitCode: number;
  /** The report. */
  readonly stdout: string;
  /** k6's own log. */
  readonly stderr: string;
}

/** The part of the run that falls to this process: k6 takes it as an option alone. */
const segmentOf = (env: SuiteRun['env']): string[] => {
  const { SEGMENT: segment = '', SEGMENT_SEQUENCE: sequence = '' } = env;
  return [
    ...(segment === '' ? [] : ['--execution-segment', segment]),
    ...(sequence === '' ? [] : ['--execution-segment-sequence', sequence]),
  ];
};

const page = (file: string): Record<string, string> => ({
  K6_WEB_DASHBOARD: 'true',
  // no server, the page alone
  K6_WEB_DASHBOARD_PORT: '-1',
  K6_WEB_DASHBOARD_EXPORT: file,
});

/** Runs a suite to its end. k6 sends nothing to anybody but the APIs. @throws if k6 can't start. */
export const runSuite = ({ k6, folder, suite, env, htmlFile }: SuiteRun): Promise<SuiteOutcome> =>
  new Promise((resolve, reject) => {
    // No address: k6 would open a port to be steered by, and two of them the same one.
    const options = ['--quiet', '--no-color', '--address', '', ...segmentOf(env)];
    const child = spawn(k6, ['run', ...options, join('suites', `${suite}.ts`)], {
      cwd: folder,
      env: {
        ...env,
        K6_NO_USAGE_REPORT: 'true',
        K6_AUTO_EXTENSION_RESOLUTION: 'false',
        ...(htmlFile !== undefined && page(htmlFile)),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => (texts[name] += text));
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ exitCode: code ?? 1, ...texts }));
  });
