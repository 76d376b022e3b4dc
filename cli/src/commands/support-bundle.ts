import { Command, InvalidArgumentError } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import type { BundleOptions } from '../support-bundle/write-bundle.ts';

const load = () => import('../support-bundle/write-bundle.ts');

const mostLines = 100_000;

const parseLines = (text: string): number => {
  const lines = /^\d{1,6}$/u.test(text) ? Number(text) : 0;
  if (lines >= 1 && lines <= mostLines) return lines;
  throw new InvalidArgumentError(`It must be a whole number, 1 to ${mostLines}.`);
};

const help = `
What can't be had is named in the bundle and left out: it is written also where the API or the
cluster is away. Secrets of a cluster are never read. Known secrets, and what looks like a secret or
like the data of a person, are taken out of every file.

Examples:
  $ goldctl support-bundle
  $ goldctl --context prod support-bundle --file /tmp/prod.tar.gz --lines 5000`;

/** Creates `goldctl support-bundle`, which writes the files that a remote helper needs into one archive. */
export const createSupportBundleCommand = (deps: CliDeps): Command =>
  new Command('support-bundle')
    .option('--file <path>', 'the file to write (default: goldctl-support-<time>.tar.gz)')
    .option('--lines <count>', 'lines of each log', parseLines, 2000)
    .addHelpText('after', help)
    .action(async (own: BundleOptions, self: Command) =>
      (await load()).writeBundle(deps, own, self),
    );
