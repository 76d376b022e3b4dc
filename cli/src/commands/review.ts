import { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { withPaging, type Paging } from '../desk/paging.ts';

const load = () => import('../reviews/list-reviews.ts');

const help = `
"goldctl order resolve <order>" ends the review of an order, and "goldctl help runbook
manual-review" says how.

Example:
  $ goldctl review list`;

/** Creates `goldctl review`, which lists the cases that wait for an operator's decision. */
export const createReviewCommand = (deps: CliDeps): Command => {
  const review = new Command('review').addHelpText('after', help);
  withPaging(review.command('list'))
    .description('list orders, debits and payments that wait for a decision, the oldest first')
    .action(async (own: Paging, self: Command) => (await load()).listReviews(deps, own, self));
  return review;
};
