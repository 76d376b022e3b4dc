import { Command, Option } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { withPaging } from '../desk/paging.ts';
import type { DiscardOptions, ListOptions } from '../jobs/job-actions.ts';
import { jobStatuses } from '../jobs/job-statuses.ts';

const load = () => import('../jobs/job-actions.ts');

const help = `
"goldctl help runbook dead-letter-jobs" says when a job is tried again, and when it is discarded.

Examples:
  $ goldctl jobs list
  $ goldctl jobs retry 4711
  $ goldctl jobs discard 4711 --reason "its order was deleted" --yes`;

/** Creates `goldctl jobs`, which shows and retries jobs, and discards dead jobs. */
export const createJobsCommand = (deps: CliDeps): Command => {
  const jobs = new Command('jobs').addHelpText('after', help);
  withPaging(jobs.command('list'))
    .description('list jobs (default: dead jobs)')
    .addOption(new Option('--status <status>', 'only these').choices(jobStatuses))
    .option('--task <name>', 'only jobs of this task')
    .action(async (own: ListOptions, self: Command) => (await load()).listJobs(deps, own, self));
  jobs
    .command('retry')
    .description('retry a job now, with all of its attempts')
    .argument('<id>', "the job's id")
    .action(async (id: string, _options: unknown, self: Command) =>
      (await load()).retryJob(deps, id, self),
    );
  jobs
    .command('discard')
    .description('permanently remove a dead job from the queue')
    .argument('<id>', "the job's id")
    .requiredOption('--reason <text>', 'why')
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .action(async (id: string, own: DiscardOptions, self: Command) =>
      (await load()).discardJob(deps, id, own, self),
    );
  return jobs;
};
