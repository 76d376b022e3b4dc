import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess } from '../admins/index.ts';
import {
  bannerBody,
  bannerParams,
  bannersView,
  bannerView,
  presentBanner,
  type BannersService,
} from './banners.ts';
import { flagBody, flagsView, flagView, presentFlag, type FlagsService } from './flags.ts';
import type { LimitsService } from './settings.store.ts';
import { limitsBody, limitsView, presentLimits, toLimits } from './settings.schemas.ts';

const tags = ['config'];
const readers = adminAccess('SUPER_ADMIN', 'ADMIN');
const superAdmin = adminAccess('SUPER_ADMIN');

const createLimitsRoutes = (limits: LimitsService): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/config/limits',
    summary: 'The limits in force, in paise',
    tags,
    access: readers,
    responses: { 200: limitsView },
    handler: async () => ok(presentLimits(await limits.current())),
  }),
  defineRoute({
    method: 'PUT',
    path: '/config/limits',
    summary: 'Replace all limits',
    tags,
    access: superAdmin,
    body: limitsBody,
    responses: { 200: limitsView },
    handler: async ({ body, principal, context }) => {
      const replaced = await limits.replace(toLimits(body), { principal, context });
      return ok(presentLimits(replaced));
    },
  }),
];

const createFlagsRoutes = (flags: FlagsService): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/config/feature-flags',
    summary: 'Every feature flag, by key',
    tags,
    access: readers,
    responses: { 200: flagsView },
    handler: async () => ok({ items: (await flags.list()).map(presentFlag) }),
  }),
  defineRoute({
    method: 'PUT',
    path: '/config/feature-flags',
    summary: 'Add or replace one feature flag',
    tags,
    access: superAdmin,
    body: flagBody,
    responses: { 200: flagView },
    handler: async ({ body, principal, context }) =>
      ok(presentFlag(await flags.put(body, { principal, context }))),
  }),
];

const createBannersRoutes = (banners: BannersService): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/config/banners',
    summary: 'Every banner by position, live or not',
    tags,
    access: readers,
    responses: { 200: bannersView },
    handler: async () => ok({ items: (await banners.list()).map(presentBanner) }),
  }),
  defineRoute({
    method: 'PUT',
    path: '/config/banners/:id',
    summary: 'Add or replace one banner',
    tags,
    access: readers,
    params: bannerParams,
    body: bannerBody,
    responses: { 200: bannerView },
    handler: async ({ params: { id }, body, principal, context }) =>
      ok(presentBanner(await banners.put(id, body, { principal, context }))),
  }),
];

/** Declares `/config` of the admin API: limits, feature flags and banners. */
export const createSettingsAdminRoutes = (settings: {
  readonly limits: LimitsService;
  readonly flags: FlagsService;
  readonly banners: BannersService;
}): Route[] => [
  ...createLimitsRoutes(settings.limits),
  ...createFlagsRoutes(settings.flags),
  ...createBannersRoutes(settings.banners),
];
