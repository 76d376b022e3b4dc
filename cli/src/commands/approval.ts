import { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { withPaging } from '../desk/paging.ts';

const load = () => import('../approvals/approval-actions.ts');

/** Creates `goldctl approval`, which shows and decides requests for approval. */
export const createApprovalCommand = (deps: CliDeps): Command => {
  const approval = new Command('approval');
  withPaging(approval.command('list'))
    .description('list requests that wait for a second operator, newest first')
    .option('--all', 'also list decided requests')
    .action(async (options: { all?: boolean; page: number; limit: number }, command: Command) =>
      (await load()).listApprovals(deps, options, command),
    );
  approval
    .command('approve')
    .description('approve the request of another operator')
    .argument('<id>', 'the request’s id')
    .option('-y, --yes', 'skip the confirmation; required without a terminal')
    .action(async (id: string, options: { yes?: boolean }, command: Command) =>
      (await load()).approveRequest(deps, id, options, command),
    );
  approval
    .command('reject')
    .description('reject the request of another operator')
    .argument('<id>', 'the request’s id')
    .requiredOption('--reason <text>', 'why, for whoever asked')
    .action(async (id: string, options: { reason: string }, command: Command) =>
      (await load()).rejectRequest(deps, id, options, command),
    );
  approval
    .command('withdraw')
    .description('withdraw your own request')
    .argument('<id>', 'the request’s id')
    .action(async (id: string, _options: unknown, command: Command) =>
      (await load()).withdrawRequest(deps, id, command),
    );
  return approval;
};
