import type { Db } from '../../platform/db/index.ts';
import { sweepRows, type Sweep } from '../../platform/jobs/sweep.ts';
import { describeError } from '../../platform/observability/index.ts';
import { listOverdue } from './approvals.store.ts';
import { expireOne, type ExpiryDeps } from './expire-approvals.ts';

const batchSize = 100;

/** Creates the sweep that ends pending requests that have expired. */
export const createApprovalExpiry = (deps: ExpiryDeps & { readonly db: Db }): Sweep => ({
  name: 'approvals-expire',
  async run(signal) {
    await sweepRows({
      rows: await listOverdue(deps.db, deps.clock.now(), batchSize),
      signal,
      async handle(request) {
        await expireOne(deps, request);
        return true;
      },
      onError: (error, { id }) =>
        deps.logger.error(
          { approvalId: id, err: describeError(error) },
          'a request for approval was not expired',
        ),
    });
  },
});
