import type { Paise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RawInput, Route } from '../../platform/http/index.ts';
import { adminAccess, adminActor, findAdmin, type AdminPrincipal } from '../admins/index.ts';
import { findPayout } from '../payouts/index.ts';
import type { ApprovalDeps, ListedRoute } from './request-approval.ts';
import type { ApprovalRequest, ListableAction } from './approvals.types.ts';
import { withSecondPerson } from './second-person.ts';

const textOf = (value: unknown, name: string): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const property: unknown = Reflect.get(value, name);
  return typeof property === 'string' ? property : undefined;
};

const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** Lists the writes of the admin API that can be configured to need a second operator's approval. */
const listRoutes = (db: Db, payoutsAbovePaise: Paise): readonly ListedRoute[] => {
  const findLargePayout = async ({ params }: RawInput): Promise<string | undefined> => {
    const id = textOf(params, 'id') ?? '';
    const payout = isUuid.test(id) ? await findPayout(db, id) : undefined;
    return payout !== undefined && payout.amountPaise > payoutsAbovePaise ? payout.id : undefined;
  };
  return [
    { action: 'spreads', method: 'POST', path: '/price/config', targetOf: () => 'spreads' },
    { action: 'limits', method: 'PUT', path: '/config/limits', targetOf: () => 'limits' },
    {
      action: 'evidence',
      method: 'PUT',
      path: '/readiness/evidence/:item',
      targetOf: ({ params }) => textOf(params, 'item'),
    },
    { action: 'payouts', method: 'POST', path: '/payouts/:id/approve', targetOf: findLargePayout },
    { action: 'payouts', method: 'POST', path: '/payouts/:id/retry', targetOf: findLargePayout },
    {
      action: 'resolutions',
      method: 'POST',
      path: '/orders/:id/resolve',
      targetOf: ({ params, parsedBody }) =>
        ['KEEP', 'RECOVER'].includes(textOf(parsedBody, 'resolution') ?? '')
          ? textOf(params, 'id')?.toLowerCase()
          : undefined,
    },
  ];
};

/** Returns the operator. The admin API's guard has already admitted the request. */
const principalOf = ({ principal }: Pick<RawInput, 'principal'>): AdminPrincipal =>
  principal as AdminPrincipal;

const rolesOf = ({ access }: Route): readonly string[] => access.roles ?? [];

/** Makes the listed writes of the admin API wait for a second operator's approval. */
export const withAdminApprovals = (
  deps: Omit<ApprovalDeps, 'api' | 'personOf'>,
  {
    routes,
    actions,
    payoutsAbovePaise,
  }: {
    readonly routes: readonly Route[];
    readonly actions: readonly ListableAction[];
    readonly payoutsAbovePaise: Paise;
  },
): Route[] =>
  withSecondPerson<AdminPrincipal>(
    {
      ...deps,
      api: 'admin',
      personOf: (input) => {
        const principal = principalOf(input);
        const { adminId: id, email } = principal;
        return { id, email, audited: adminActor(principal, input.context) };
      },
    },
    {
      path: '/approvals',
      readers: adminAccess('SUPER_ADMIN', 'ADMIN'),
      deciders: adminAccess('SUPER_ADMIN', 'ADMIN'),
      routes,
      listed: listRoutes(deps.db, payoutsAbovePaise),
      actions,
      requireMay({ role }, route) {
        if (!rolesOf(route).includes(role)) throw new AppError('FORBIDDEN');
      },
      async isStillAllowed(tx, { requestedBy }: ApprovalRequest, route) {
        const admin = await findAdmin(tx, requestedBy);
        return admin?.active === true && rolesOf(route).includes(admin.role);
      },
    },
  );
