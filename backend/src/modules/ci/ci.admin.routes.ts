import type { Db } from '../../platform/db/index.ts';
import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess } from '../admins/index.ts';
import {
  deployBody,
  deploymentView,
  presentDeployment,
  presentRun,
  presentUndecided,
  runsQuery,
  runsView,
} from './ci.schemas.ts';
import { listUndecidedTriggers } from './deploy-triggers.store.ts';
import { listRuns } from './list-runs.ts';
import { triggerDeploy, type TriggerDeployDeps } from './trigger-deploy.ts';

const tags = ['devops'];

/** Declares `/devops` of the admin API. */
export const createCiAdminRoutes = (deps: TriggerDeployDeps & { readonly db: Db }): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/devops/runs',
    summary: 'The newest `per_page` deployment runs of each target, and the undecided deployments',
    tags,
    access: adminAccess('SUPER_ADMIN', 'ADMIN'),
    query: runsQuery,
    responses: { 200: runsView },
    errors: ['CI_NOT_CONFIGURED', 'CI_UNAVAILABLE', 'CI_REFUSED'],
    handler: async ({ query }) => {
      const { target, per_page: count } = query;
      const runs = await listRuns(deps.ci, { target, count });
      const undecided = await listUndecidedTriggers(deps.db, { target, limit: count });
      return ok({ items: runs.map(presentRun), undecided: undecided.map(presentUndecided) });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/devops/deploy',
    summary: 'Start the deployment of a target. At most one a minute is allowed across all targets',
    tags,
    access: adminAccess('SUPER_ADMIN'),
    body: deployBody,
    responses: { 202: deploymentView },
    errors: [
      'CI_NOT_CONFIGURED',
      'DEPLOY_TOO_SOON',
      'CI_UNAVAILABLE',
      'CI_REFUSED',
      'DEPLOY_OUTCOME_UNKNOWN',
    ],
    handler: async ({ body, principal, context }) => {
      const deployment = await triggerDeploy(deps, { target: body.target, principal, context });
      return { status: 202, body: presentDeployment(deployment) };
    },
  }),
];
