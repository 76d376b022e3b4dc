import type { Timers } from '../../platform/clock/timers.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Guard, Route } from '../../platform/http/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { createAuditAdminRoutes } from '../audit/index.ts';
import type { Switches } from '../settings/index.ts';
import { createAccountingRoutes } from './accounting.routes.ts';
import { portalRead } from './accounting.types.ts';
import {
  createLedgerAccountingRoutes,
  createStatutoryAccountingRoutes,
} from './books.accounting.routes.ts';
import {
  createMonthEndAccountingRoutes,
  createProviderReconciliationAccountingRoutes,
} from './closing.accounting.routes.ts';
import { createPortalGuard } from './portal-guard.ts';
import { createPostingGate } from './posting-gate.ts';
import { withRecordedRefusals } from './portal-refusals.ts';
import type { PortalSignInDeps } from './portal-sign-in.ts';
import { createPortalCredentialRoutes } from './portal-credentials.accounting.routes.ts';
import { createPortalUserReads, createPortalUserWrites } from './portal-users.accounting.routes.ts';
import type { FilesDeps } from './write-file.ts';
import { createRateLimitedRecorder, type RateLimitedRecorder } from './record-rate-limited.ts';

/** Wires the accounting portal: its sign-in, users, books and the guard of its API. */
export const createAccounting = (
  deps: PortalSignInDeps &
    FilesDeps & {
      readonly switches: Switches;
      readonly vault: Pick<Vault, 'forUsers' | 'service'>;
      readonly logger: Logger;
      readonly timers: Timers;
    },
): { routes: Route[]; guard: Guard; rateLimited: RateLimitedRecorder } => ({
  routes: [
    ...createAccountingRoutes(deps),
    ...withRecordedRefusals(deps, createPortalCredentialRoutes(deps)),
    ...createPortalUserReads(deps),
    ...withRecordedRefusals(deps, createPortalUserWrites(deps)),
    ...createStatutoryAccountingRoutes(deps),
    ...createLedgerAccountingRoutes(deps),
    ...createProviderReconciliationAccountingRoutes(deps),
    ...withRecordedRefusals(
      deps,
      createMonthEndAccountingRoutes({ ...deps, post: createPostingGate(deps) }),
    ),
    ...createAuditAdminRoutes(deps, {
      path: '/gold/audit',
      access: portalRead('audit.read'),
      accounting: true,
    }),
  ],
  guard: createPortalGuard(deps),
  rateLimited: createRateLimitedRecorder(deps),
});
