import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess } from '../admins/index.ts';
import type { LimitsService } from './limits.ts';
import { limitsBody, limitsView, presentLimits, toLimits } from './settings.schemas.ts';

/** Declares `/config/limits` of the admin API. */
export const createSettingsAdminRoutes = (limits: LimitsService): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/config/limits',
    summary: 'The limits in force, in paise',
    tags: ['config'],
    access: adminAccess('SUPER_ADMIN', 'ADMIN'),
    responses: { 200: limitsView },
    handler: async () => ok(presentLimits(await limits.current())),
  }),
  defineRoute({
    method: 'PUT',
    path: '/config/limits',
    summary: 'Replace the limits, all of them',
    tags: ['config'],
    access: adminAccess('SUPER_ADMIN'),
    body: limitsBody,
    responses: { 200: limitsView },
    handler: async ({ body, principal, context }) => {
      const next = toLimits(body);
      await limits.replace(next, principal, context);
      return ok(presentLimits(next));
    },
  }),
];
