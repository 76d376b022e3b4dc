import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Report } from './support/report.ts';
import { median } from './support/statistics.ts';

const rounds = 15;
/**
 * The number of runs of a round. The time of a single run is too short for the resolution of the
 * processor clock.
 */
const runs = 10;
const cli = join(import.meta.dirname, '..', '..', 'cli');
const floor = 'node -e 0';

const commands: Readonly<Record<string, readonly string[]>> = {
  [floor]: ['-e', '0'],
  'goldctl --version': ['dist/goldctl.js', '--version'],
  'goldctl --help': ['dist/goldctl.js', '--help'],
  'goldctl gates show': ['dist/goldctl.js', 'gates', 'show'],
};

const timePattern = /(?<minutes>\d+)m(?<seconds>[\d.]+)s/gu;

/** Returns the processor time of one run, user and system, as the shell counts its children. */
const processorMs = (args: readonly string[]): number => {
  const script = `for _ in $(seq ${runs}); do "$@" >/dev/null 2>&1; done; times`;
  const line = ['-c', script, 'sh', process.execPath, ...args];
  const [, children = ''] = execFileSync('sh', line, { cwd: cli, encoding: 'utf8' }).split('\n');
  const parts = [...children.matchAll(timePattern)].map(
    ({ groups }) => Number(groups?.['minutes']) * 60 + Number(groups?.['seconds']),
  );
  return (parts.reduce((sum, part) => sum + part, 0) * 1000) / runs;
};

/** Measures the start-up of goldctl beside a Node that does nothing. */
export const goldctlStart = async (): Promise<Report> => {
  execFileSync(process.execPath, ['--import', 'tsx', join(cli, 'build.ts')], { cwd: cli });
  const names = Object.keys(commands);
  const samples = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) samples.get(name)?.push(processorMs(commands[name] ?? []));
  }
  const of = (name: string): number => median(samples.get(name) ?? []);
  return {
    how: [
      `Each command ${rounds} times ${runs} runs, in turns with a Node that does nothing. Processor`,
      'time of one run, user and system together, so that a busy machine does not count.',
      'There is no stack and no cluster: gates show says so.',
    ],
    tables: [
      {
        title: 'start-up',
        columns: ['command', 'processor ms', 'times node -e 0'],
        rows: names.map((name) => [name, of(name), of(name) / of(floor)]),
      },
    ],
    samples: Object.fromEntries(samples),
  };
};
