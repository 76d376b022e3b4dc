import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import type { Report } from '../lib/report.types.ts';
import { asTable, compareReports } from './compare-reports.ts';
import { suiteNames } from './options.ts';

/**
 * `make loadtest-compare BEFORE=folder AFTER=folder`: prints the numbers of two runs side by side.
 * Exit code 1 where a threshold held before and does not after, 2 where nothing can be compared.
 */

const read = (folder: string, suite: string): Report | undefined => {
  const file = join(folder, `${suite}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined; // as written
};

const main = (args: readonly string[]): boolean => {
  const [before, after] = args.map((folder) => resolve(process.env['INIT_CWD'] ?? '.', folder));
  if (before === undefined || after === undefined) {
    throw new Error('name the folders of the two runs: BEFORE=folder AFTER=folder');
  }
  const compared = suiteNames.flatMap((suite) => {
    const [earlier, later] = [read(before, suite), read(after, suite)];
    return earlier === undefined || later === undefined
      ? []
      : [{ title: `${later.title}, ${later.profile}`, comparison: compareReports(earlier, later) }];
  });
  if (compared.length === 0) throw new Error(`no suite has a report in ${before} and in ${after}`);
  for (const { title, comparison } of compared) {
    process.stdout.write(`${asTable(title, comparison)}\n`);
  }
  return compared.every(({ comparison }) => comparison.broken.length === 0);
};

try {
  process.exitCode = main(process.argv.slice(2).filter((text) => text !== '')) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
