import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess, adminActor } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { LimitsService } from './limits.service.ts';
import { limitsBody, limitsView, presentLimits, toLimits } from './settings.schemas.ts';

/** `/config/limits`. */
export const createSettingsAdminRoutes = (options: {
  readonly limits: LimitsService;
  readonly audit: Auditor;
}): Route[] => {
  const { limits, audit } = options;
  return [
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
        await limits.replace(next, principal.adminId, async (db, before) =>
          audit.record(db, {
            action: 'config.limits.replace',
            ...adminActor(principal, context),
            target: { type: 'limits', id: 'limits' },
            before: presentLimits(before),
            after: body,
          }),
        );
        return ok(presentLimits(next));
      },
    }),
  ];
};
