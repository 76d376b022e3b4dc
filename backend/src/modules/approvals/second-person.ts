import { invariant } from '../../platform/invariant/invariant.ts';
import type { Reply, Route } from '../../platform/http/index.ts';
import { askApproval, type ApprovalDeps, type ListedRoute } from './ask-approval.ts';
import { createApprovalRoutes, type ApprovalRoutesOptions } from './approvals.routes.ts';
import { approvalView, presentApproval } from './approvals.schemas.ts';
import type { ApprovalRequest, ListableAction } from './approvals.types.ts';

const isRouteOf =
  ({ method, path }: Pick<Route, 'method' | 'path'>) =>
  (other: Pick<ListedRoute, 'method' | 'path'>): boolean =>
    other.method === method && other.path === path;

/** Returns the route as one that stores a request where a second person has to approve it. */
const asking = (
  deps: ApprovalDeps,
  route: Route,
  listed: ListedRoute,
  actions: ReadonlySet<ListableAction>,
): Route => ({
  ...route,
  responses: { ...route.responses, 202: approvalView },
  errors: [...(route.errors ?? []), 'CONFLICT'],
  async run(input): Promise<Reply> {
    const target = actions.has(listed.action) ? await listed.targetOf(input) : undefined;
    if (target === undefined) return route.run(input);
    const request = await askApproval(deps, { route, listed, target }, input);
    return { status: 202, body: presentApproval(deps.vault, request, deps.clock.now()) };
  },
});

/**
 * Puts a second person before the writes that SECOND_OPERATOR_ACTIONS lists, and adds the routes by
 * which they decide (contract: operators > Approvals). `routes` are those of an API, whose listed
 * ones work by the transactions and the auditor of `deps.scopes`.
 */
export const withSecondPerson = <Principal>(
  deps: ApprovalDeps,
  {
    routes,
    listed,
    actions,
    ...options
  }: Omit<ApprovalRoutesOptions<Principal>, 'routeOf'> & {
    readonly routes: readonly Route[];
    readonly listed: readonly ListedRoute[];
    readonly actions: readonly ListableAction[];
  },
): Route[] => {
  const known = new Set(actions);
  const plain = listed.map((each) => {
    const route = routes.find((one) => isRouteOf(one)(each));
    invariant(route, `${each.method} ${each.path} is a route`);
    return route;
  });
  const routeOf = (request: ApprovalRequest): Route => {
    const route = plain.find((each) => isRouteOf(each)(request));
    invariant(route, `${request.method} ${request.path} is a route that can be listed`);
    return route;
  };
  return [
    ...routes.map((route) => {
      const rule = listed.find(isRouteOf(route));
      return rule === undefined ? route : asking(deps, route, rule, known);
    }),
    ...createApprovalRoutes(deps, { ...options, routeOf }, plain),
  ];
};
