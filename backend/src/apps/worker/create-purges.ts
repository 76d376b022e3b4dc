import {
  createPortalSessionPurge,
  createPortalSignInPurge,
} from '../../modules/accounting/index.ts';
import { createAdminSignInPurge } from '../../modules/admins/index.ts';
import { createValidationPurge } from '../../modules/banking/index.ts';
import { createIdentityPurges, createSessionPurges } from '../../modules/identity/index.ts';
import { createProductOrderKeyPurge } from '../../modules/product-orders/index.ts';
import { createProofPurges } from '../../modules/proof-of-gold/index.ts';
import { createReconciliationPurges } from '../../modules/reconciliation/index.ts';
import { createFormerBuyerPurge } from '../../modules/referrals/index.ts';
import { createSecurityEventPurge } from '../../modules/security-events/index.ts';
import { createTicketPurge } from '../../modules/support/index.ts';
import { createQuotePurge } from '../../modules/quotes/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { createKeyPurge } from '../../platform/idempotency/index.ts';
import { createPurgeSweep, type Sweep } from '../../platform/jobs/index.ts';
import type { Metrics } from '../../platform/observability/index.ts';
import { createUsePurge } from '../../platform/use-bounds/index.ts';

/**
 * Creates the sweeps that delete rows that nothing needs any more (contract: limits > Retention).
 */
export const createPurges = (options: {
  readonly db: Db;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'countPurged'>;
  /** The real milliseconds between two passes of each sweep. */
  readonly everyMs: number;
}): readonly Sweep[] => {
  const { metrics, everyMs } = options;
  return [
    createKeyPurge(options),
    createProductOrderKeyPurge(options),
    createQuotePurge(options),
    ...createIdentityPurges(options),
    ...createSessionPurges(options),
    createAdminSignInPurge(options),
    createPortalSignInPurge(options),
    createPortalSessionPurge(options),
    createSecurityEventPurge(options),
    createValidationPurge(options),
    createTicketPurge(options),
    createFormerBuyerPurge(options),
    createUsePurge(options),
    ...createReconciliationPurges(options),
    ...createProofPurges(options),
  ].map((purge) => createPurgeSweep({ ...purge, metrics, everyMs }));
};
