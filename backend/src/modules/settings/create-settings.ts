import type { Redis } from 'ioredis';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Auditor } from '../audit/index.ts';
import { createLimits, type LimitsService } from './limits.ts';
import { createSettingsAdminRoutes } from './settings.admin.routes.ts';

/** Wires the limits that operators set. The switches are `createSwitches`. */
export const createSettings = (options: {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly redis: Redis;
  readonly clock: Clock;
  readonly audit: Auditor;
}): { limits: LimitsService; adminRoutes: Route[] } => {
  const limits = createLimits(options);
  return { limits, adminRoutes: createSettingsAdminRoutes(limits) };
};
