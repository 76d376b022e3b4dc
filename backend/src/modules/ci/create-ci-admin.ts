import type { Ci } from '../../adapters/ci/port.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Auditor } from '../audit/index.ts';
import { createCiAdminRoutes } from './ci.admin.routes.ts';
import { createListRuns } from './list-runs.ts';
import { createTriggerDeploy } from './trigger-deploy.ts';
import { createTriggerRecord } from './trigger-record.ts';

/** Deployments as operators see and start them; `ci` is undefined while its token is not set. */
export const createCiAdmin = (options: {
  readonly ci: Ci | undefined;
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
  readonly random: Random;
  readonly logger: Pick<Logger, 'error'>;
}): { adminRoutes: Route[] } => {
  const { ci, inTransaction, audit, random, logger } = options;
  const record = createTriggerRecord({ inTransaction, audit });
  return {
    adminRoutes: createCiAdminRoutes({
      listRuns: createListRuns(ci),
      triggerDeploy: createTriggerDeploy({ ci, record, random, logger }),
    }),
  };
};
