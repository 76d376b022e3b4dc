import { invariant } from '../../platform/invariant/invariant.ts';
import type { Reply, Route } from '../../platform/http/index.ts';
import { requestApproval, type ApprovalDeps, type ListedRoute } from './request-approval.ts';
import { createApprovalRoutes, type ApprovalRoutesOptions } from './approvals.routes.ts';
import { approvalView, presentApproval } from './approvals.schemas.ts';
import type { ApprovalRequest, ListableAction } from './approvals.types.ts';

const isRouteOf =
  ({ method, path }: Pick<Route, 'method' | 'path'>) =>
  (other: Pick<ListedRoute, 'method' | 'path'>): boolean =>
    other.method === method && other.path === path;

/** Wraps a route. If a request needs a second person, the route stores a request for approval. */
const withApproval = (
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
    const request = await requestApproval(deps, { route, listed, target }, input);
    return { status: 202, body: presentApproval(deps.vault, request, deps.clock.now()) };
  },
});

/**
 * Makes the writes in `actions` wait for a second person's approval, and adds the routes by which
 * that person decides (contract: operators > Approvals). `routes` are all routes of an API. Its
 * listed routes must use the transactions and the auditor of `deps.scopes`.
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
  const configured = new Set(actions);
  const unwrapped = listed.map((rule) => {
    const found = routes.find((route) => isRouteOf(route)(rule));
    invariant(found, `${rule.method} ${rule.path} is a route`);
    return found;
  });
  const routeOf = (request: ApprovalRequest): Route => {
    const route = unwrapped.find((candidate) => isRouteOf(candidate)(request));
    invariant(route, `${request.method} ${request.path} is a route that can be listed`);
    return route;
  };
  return [
    ...routes.map((route) => {
      const rule = listed.find(isRouteOf(route));
      return rule === undefined ? route : withApproval(deps, route, rule, configured);
    }),
    ...createApprovalRoutes(deps, { ...options, routeOf }, unwrapped),
  ];
};
