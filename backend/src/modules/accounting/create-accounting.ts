import type { Request } from 'express';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Guard, Route } from '../../platform/http/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { createAuditRoutes } from '../audit/index.ts';
import type { Switches } from '../settings/index.ts';
import { createAccountingRoutes } from './accounting.routes.ts';
import { portalRead } from './accounting.types.ts';
import { createLedgerRoutes, createStatutoryRoutes } from './books.accounting.routes.ts';
import {
  createMonthEndRoutes,
  createProviderReconciliationRoutes,
} from './closing.accounting.routes.ts';
import { createPortalGuard, createRateLimitedRecorder } from './portal-guard.ts';
import type { PortalSignInDeps } from './portal-sign-in.ts';
import { createPortalUserReads, createPortalUserWrites } from './portal-users.accounting.routes.ts';

/** Wires the accounting portal: its sign-in, users, books and the guard of its API. */
export const createAccounting = (
  deps: PortalSignInDeps & {
    readonly switches: Switches;
    readonly vault: Pick<Vault, 'forUsers' | 'service'>;
    readonly logger: Logger;
  },
): { routes: Route[]; guard: Guard; onLimited: (req: Request) => void } => ({
  routes: [
    ...createAccountingRoutes(deps),
    ...createPortalUserReads(deps),
    ...createPortalUserWrites(deps),
    ...createStatutoryRoutes(deps),
    ...createLedgerRoutes(deps),
    ...createProviderReconciliationRoutes(deps),
    ...createMonthEndRoutes(deps),
    ...createAuditRoutes(deps, {
      path: '/gold/audit',
      access: portalRead('audit.read'),
      accounting: true,
    }),
  ],
  guard: createPortalGuard(deps),
  onLimited: createRateLimitedRecorder(deps),
});
