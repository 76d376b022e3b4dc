import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess } from '../admins/index.ts';
import {
  deployBody,
  deploymentView,
  presentDeployment,
  presentRun,
  runsQuery,
  runsView,
} from './ci.schemas.ts';
import { listRuns } from './list-runs.ts';
import { triggerDeploy, type TriggerDeployDeps } from './trigger-deploy.ts';

const tags = ['devops'];

/** Declares `/devops` of the admin API. */
export const createCiAdminRoutes = (deps: TriggerDeployDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/devops/runs',
    summary: 'Deployment runs, newest first: per_page of each target',
    tags,
    access: adminAccess('SUPER_ADMIN', 'ADMIN'),
    query: runsQuery,
    responses: { 200: runsView },
    errors: ['CI_NOT_CONFIGURED', 'CI_UNAVAILABLE', 'CI_REFUSED'],
    handler: async ({ query }) => {
      const runs = await listRuns(deps.ci, { target: query.target, count: query.per_page });
      return ok({ items: runs.map(presentRun) });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/devops/deploy',
    summary: 'Start the deployment of a target; at most one a minute, whichever target',
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
