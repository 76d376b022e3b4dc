import { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';

const load = () => import('../readiness/show-readiness.ts');

const help = `
Exit code 3 while something that blocks buying is not in place.

Examples:
  $ goldctl readiness
  $ goldctl readiness -o json | jq '.items[] | select(.status != "PASS")'`;

/** Creates `goldctl readiness`, which shows the readiness report. */
export const createReadinessCommand = (deps: CliDeps): Command =>
  new Command('readiness')
    .addHelpText('after', help)
    .action(async (_options: unknown, self: Command) => (await load()).showReadiness(deps, self));
