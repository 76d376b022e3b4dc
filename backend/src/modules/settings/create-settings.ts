import type { Db } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import { createBanners, type BannersService } from './banners.ts';
import { createFlags, type FlagsService } from './flags.ts';
import {
  createLimits,
  type LimitsService,
  type SettingDeps,
  createSettingCopies,
  type CacheSetting,
} from './settings.store.ts';
import { createSettingsAdminRoutes } from './settings.admin.routes.ts';
import { createBannerCustomerRoutes } from './settings.customer.routes.ts';

/** The settings that operators change in the admin API. `createSwitches` creates the switches. */
export interface Settings {
  readonly limits: LimitsService;
  readonly flags: Pick<FlagsService, 'list'>;
  readonly banners: Pick<BannersService, 'listLive'>;
  /** Caches a setting whose table belongs to another module. */
  readonly cacheSetting: CacheSetting;
  readonly adminRoutes: Route[];
  readonly customerRoutes: Route[];
}

/** Wires limits, feature flags and banners. */
export const createSettings = (
  options: Omit<SettingDeps, 'cacheSetting'> & { readonly db: Db },
): Settings => {
  const cacheSetting = createSettingCopies(options.db);
  const deps = { ...options, cacheSetting };
  const [limits, flags, banners] = [createLimits(deps), createFlags(deps), createBanners(deps)];
  return {
    limits,
    flags,
    banners,
    cacheSetting,
    adminRoutes: createSettingsAdminRoutes({ limits, flags, banners }),
    customerRoutes: createBannerCustomerRoutes(banners),
  };
};
