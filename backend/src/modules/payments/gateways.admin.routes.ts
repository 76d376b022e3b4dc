import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess } from '../admins/index.ts';
import {
  gatewayBodies,
  gatewayParams,
  gatewayPatch,
  gatewaysView,
  gatewayView,
} from './gateways.schemas.ts';
import {
  changeGateway,
  readGateway,
  readGateways,
  replaceRouting,
  type ManageGatewaysDeps,
} from './manage-gateways.ts';

const path = '/payment-gateways';
const tags = ['payment-gateways'];
const readAccess = adminAccess('SUPER_ADMIN', 'ADMIN');
const writeAccess = adminAccess('SUPER_ADMIN');

const createGatewayRoutes = (deps: ManageGatewaysDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    summary: 'The payment gateways, and the order in which they are chosen',
    tags,
    access: readAccess,
    responses: { 200: gatewaysView },
    handler: async () => ok(await readGateways(deps)),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/:code`,
    summary: 'One payment gateway',
    tags,
    access: readAccess,
    params: gatewayParams,
    responses: { 200: gatewayView },
    errors: ['NOT_FOUND'],
    handler: async ({ params }) => ok(await readGateway(deps, params.code)),
  }),
  defineRoute({
    method: 'PATCH',
    path: `${path}/:code`,
    summary: 'Enable or disable a gateway, or set its mode',
    tags,
    access: writeAccess,
    params: gatewayParams,
    body: gatewayPatch,
    responses: { 200: gatewayView },
    errors: ['NOT_FOUND', 'GATEWAY_CREDENTIALS_BARRED'],
    handler: async ({ params, body, principal, context }) =>
      ok(await changeGateway(deps, params.code, body, { principal, context })),
  }),
];

const createRoutingRoutes = (deps: ManageGatewaysDeps): Route[] => {
  const bodies = gatewayBodies(deps.codes);
  return [
    defineRoute({
      method: 'PUT',
      path: `${path}/default`,
      summary:
        'Set the default gateway: the last to be tried, and that of the webhook path without a code',
      tags,
      access: writeAccess,
      body: bodies.default,
      responses: { 200: gatewaysView },
      handler: async ({ body: { code: defaultCode }, principal, context }) =>
        ok(await replaceRouting(deps, 'default', { defaultCode }, { principal, context })),
    }),
    defineRoute({
      method: 'PUT',
      path: `${path}/priority`,
      summary: 'Replace the priority list of the gateways',
      tags,
      access: writeAccess,
      body: bodies.priority,
      responses: { 200: gatewaysView },
      handler: async ({ body: { codes: priority }, principal, context }) =>
        ok(await replaceRouting(deps, 'priority', { priority }, { principal, context })),
    }),
    defineRoute({
      method: 'PUT',
      path: `${path}/routes`,
      summary:
        'Replace the gateways of the instruments. An omitted instrument has no gateway of its own',
      tags,
      access: writeAccess,
      body: bodies.routes,
      responses: { 200: gatewaysView },
      handler: async ({ body: routes, principal, context }) =>
        ok(await replaceRouting(deps, 'routes', { routes }, { principal, context })),
    }),
  ];
};

/**
 * Declares the routes that administer payment gateways (contract: operators > Payment gateways). A
 * change takes effect on each replica at its next choice of a gateway.
 */
export const createGatewayAdminRoutes = (deps: ManageGatewaysDeps): Route[] => [
  ...createGatewayRoutes(deps),
  ...createRoutingRoutes(deps),
];
