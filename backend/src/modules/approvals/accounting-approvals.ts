import { AppError } from '../../platform/errors/app-error.ts';
import type { RawInput, Route } from '../../platform/http/index.ts';
import {
  findPortalUser,
  holds,
  portalActor,
  portalRead,
  portalWrite,
  type PortalPrincipal,
} from '../accounting/index.ts';
import type { ApprovalDeps, ListedRoute } from './request-approval.ts';
import type { ListableAction } from './approvals.types.ts';
import { withSecondPerson } from './second-person.ts';

const parameterKeyOf = ({ params }: RawInput): string | undefined => {
  const key: unknown = Object(params).key;
  return typeof key === 'string' ? key : undefined;
};

/** The writes of the accounting API that can be configured to need a second person's approval. */
const listedRoutes: readonly ListedRoute[] = [
  {
    action: 'statutory_parameters',
    method: 'PUT',
    path: '/gold/statutory-parameters/:key',
    targetOf: parameterKeyOf,
  },
];

/** Returns the portal user. The accounting API's guard has already admitted the request. */
const principalOf = ({ principal }: Pick<RawInput, 'principal'>): PortalPrincipal =>
  principal as PortalPrincipal;

/** Makes the listed writes of the accounting API wait for a second portal user's approval. */
export const withAccountingApprovals = (
  deps: Omit<ApprovalDeps, 'api' | 'personOf'>,
  {
    routes,
    actions,
  }: { readonly routes: readonly Route[]; readonly actions: readonly ListableAction[] },
): Route[] =>
  withSecondPerson<PortalPrincipal>(
    {
      ...deps,
      api: 'accounting',
      personOf: (input) => {
        const principal = principalOf(input);
        const { portalUserId: id, email } = principal;
        return { id, email, audited: portalActor(principal, input.context) };
      },
    },
    {
      path: '/gold/approvals',
      readers: portalRead('gold.statutory.read'),
      deciders: portalWrite('gold.statutory.write'),
      routes,
      listed: listedRoutes,
      actions,
      requireMay(principal, { access }) {
        if (!holds(principal, access.permission ?? '')) throw new AppError('PERMISSION_DENIED');
      },
      async isStillAllowed(tx, { requestedBy }, { access }) {
        const user = await findPortalUser(tx, requestedBy);
        return user?.active === true && holds(user, access.permission ?? '');
      },
    },
  );
