import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, idParams, ok, type Access, type Route } from '../../platform/http/index.ts';
import type { ApprovalDeps } from './request-approval.ts';
import {
  approvalsPage,
  approvalsQuery,
  approvalView,
  presentApproval,
  rejectionBody,
} from './approvals.schemas.ts';
import { findApproval, listApprovals } from './approvals.store.ts';
import type { ApprovalRequest } from './approvals.types.ts';
import { approve, reject, withdraw } from './decide-approval.ts';

export interface ApprovalRoutesOptions<Principal> {
  /** The path of the list, such as `/approvals`. */
  readonly path: string;
  readonly readers: Access<Principal>;
  /** Admits all people who may decide some request. `requireMay` checks the single request. */
  readonly deciders: Access<Principal>;
  /** Returns the route that a request would have run. */
  readonly routeOf: (request: ApprovalRequest) => Route;
  /** @throws AppError for a person who may not take the requested action themselves */
  readonly requireMay: (principal: Principal, route: Route) => void;
  /** Returns false if the person who made the request may no longer take the action. */
  readonly isStillAllowed: (tx: Db, request: ApprovalRequest, route: Route) => Promise<boolean>;
}

const tags = ['approvals'];

const createReads = <Principal>(
  deps: ApprovalDeps,
  { path, readers }: ApprovalRoutesOptions<Principal>,
): Route[] => {
  const present = (request: ApprovalRequest) =>
    presentApproval(deps.vault, request, deps.clock.now());
  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'Requests for approval with their decisions, newest first',
      tags,
      access: readers,
      query: approvalsQuery,
      responses: { 200: approvalsPage },
      handler: async ({ query: { status, action, page, limit } }) => {
        const filter = { api: deps.api, status, action };
        const { rows, total } = await listApprovals(deps.db, filter, { page, limit });
        return ok({ items: rows.map(present), total, page, limit });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/:id`,
      summary: 'One request for approval',
      tags,
      access: readers,
      params: idParams,
      responses: { 200: approvalView },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { id } }) => {
        const request = await findApproval(deps.db, deps.api, id);
        if (request === undefined) throw new AppError('NOT_FOUND');
        return ok(present(request));
      },
    }),
  ];
};

const decisionErrors = ['NOT_FOUND', 'OTHER_PERSON_REQUIRED', 'ILLEGAL_TRANSITION'] as const;

const createWithdrawal = <Principal>(
  deps: ApprovalDeps,
  { path, deciders }: ApprovalRoutesOptions<Principal>,
): Route =>
  defineRoute({
    method: 'POST',
    path: `${path}/:id/withdraw`,
    summary: "Withdraw one of the caller's own requests",
    tags,
    access: deciders,
    params: idParams,
    responses: { 200: approvalView },
    errors: decisionErrors,
    handler: async ({ params: { id }, principal, context }) =>
      ok(
        presentApproval(
          deps.vault,
          await withdraw(deps, id, { principal, context }),
          deps.clock.now(),
        ),
      ),
  });

/** Declares the routes that list requests for approval and decide them. */
export const createApprovalRoutes = <Principal>(
  deps: ApprovalDeps,
  options: ApprovalRoutesOptions<Principal>,
  routes: readonly Route[],
): Route[] => {
  const { path, deciders, routeOf, requireMay, isStillAllowed } = options;
  const present = (request: ApprovalRequest) =>
    presentApproval(deps.vault, request, deps.clock.now());
  /** Returns the route of a request that this person may decide. @throws AppError NOT_FOUND */
  const findRoute = async (id: string, principal: Principal): Promise<Route> => {
    const request = await findApproval(deps.db, deps.api, id);
    if (request === undefined) throw new AppError('NOT_FOUND');
    const route = routeOf(request);
    requireMay(principal, route);
    return route;
  };
  return [
    ...createReads(deps, options),
    defineRoute({
      method: 'POST',
      path: `${path}/:id/approve`,
      summary: 'Approve a request that another person made',
      tags,
      access: deciders,
      params: idParams,
      responses: { 200: approvalView },
      errors: [
        ...decisionErrors,
        'CONFLICT',
        'VALIDATION_FAILED',
        ...routes.flatMap(({ errors = [] }) => errors),
      ],
      handler: async ({ params: { id }, principal, context }) => {
        const route = await findRoute(id, principal);
        const approval = {
          id,
          routeOf,
          isStillAllowed: (tx: Db, request: ApprovalRequest) => isStillAllowed(tx, request, route),
        };
        return ok(present(await approve(deps, approval, { principal, context })));
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/:id/reject`,
      summary: 'Reject a request that another person made',
      tags,
      access: deciders,
      params: idParams,
      body: rejectionBody,
      responses: { 200: approvalView },
      errors: decisionErrors,
      handler: async ({ params: { id }, body, principal, context }) => {
        await findRoute(id, principal);
        const rejection = { id, reason: body.reason };
        return ok(present(await reject(deps, rejection, { principal, context })));
      },
    }),
    createWithdrawal(deps, options),
  ];
};
