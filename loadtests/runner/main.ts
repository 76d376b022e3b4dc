import { mkdirSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import process from 'node:process';
import { findK6 } from './find-k6.ts';
import { holdsAll } from './holds-all.ts';
import { isReachable } from './is-reachable.ts';
import { readRunnerOptions, type SuiteName } from './options.ts';
import { runSuite, thresholdsFailed } from './run-suite.ts';
import { suiteEnvironment } from './suite-environment.ts';

const folder = join(import.meta.dirname, '..');
const repository = join(folder, '..');

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Begins rate limits with a burst of requests. The others run while they wait for a window. */
const afterBurst = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 15_000).unref();
  });

/**
 * Runs the suites. Returns true if every threshold held. @throws Error of one line if none can be
 * run.
 */
const main = async (): Promise<boolean> => {
  const { env } = process;
  const options = readRunnerOptions(process.argv.slice(2), env, repository);
  const k6 = findK6(env['PATH'] ?? '', repository);
  if (k6 === undefined) {
    throw new Error('k6 is neither on the PATH nor in .tools/bin: "make tools" builds it');
  }
  const { profile } = options;
  const resultsDir = resolve(env['RESULTS_DIR'] ?? join(folder, 'results'));
  const { settings, variables } = suiteEnvironment(env, { ...options, resultsDir });
  for (const api of settings.apis) {
    const url = settings.baseUrls[api];
    if (!(await isReachable(url, settings.hosts))) {
      throw new Error(`nothing answers at ${url}, the ${api} API: bring the stack up ("make up")`);
    }
  }
  mkdirSync(resultsDir, { recursive: true });

  const run = async (suite: SuiteName): Promise<boolean> => {
    const reportFile = join(resultsDir, `${suite}.json`);
    rmSync(reportFile, { force: true });
    const { exitCode, stdout, stderr } = await runSuite({
      k6,
      folder,
      suite,
      env: { ...env, ...variables },
      // A short run has too few points for a page.
      ...(profile !== 'smoke' && { htmlFile: join(resultsDir, `${suite}.html`) }),
    });
    process.stderr.write(stderr);
    say(`\n${stdout}`);
    if (exitCode !== 0 && exitCode !== thresholdsFailed) say(`${suite}: k6 ended with ${exitCode}`);
    return exitCode === 0 && holdsAll(reportFile);
  };

  say(`${options.suites.join(' and ')}, profile ${profile}; this takes a while`);
  const [first, ...others] = options.suites;
  const outcomes = [];
  if (profile === 'smoke') {
    const running = run(first);
    await Promise.race([running, afterBurst()]);
    for (const suite of others) outcomes.push(await run(suite));
    outcomes.push(await running);
  } else {
    // The load of one would be in the figures of the other.
    for (const suite of options.suites) outcomes.push(await run(suite));
  }
  say(`reports: ${relative(process.cwd(), resultsDir)}/`);
  return outcomes.every(Boolean);
};

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
