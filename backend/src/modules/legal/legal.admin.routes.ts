import { created, defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess } from '../admins/index.ts';
import {
  fieldBody,
  fieldParams,
  fieldView,
  legalView,
  policyBody,
  policyVersionView,
} from './legal.admin.schemas.ts';
import { publishPolicy, putField, readLegal, type ManageLegalDeps } from './manage-legal.ts';

const tags = ['legal'];

/** Declares `/legal` of the admin API, by which operators read and publish legal content. */
export const createLegalAdminRoutes = (deps: ManageLegalDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/legal',
    summary: 'Every field and every version of every policy, published or not',
    tags,
    access: adminAccess('SUPER_ADMIN', 'ADMIN'),
    responses: { 200: legalView },
    handler: async () => ok(await readLegal(deps)),
  }),
  defineRoute({
    method: 'PUT',
    path: '/legal/fields/:name',
    summary: 'Add or replace a field. Customers see it once it is verified',
    tags,
    access: adminAccess('SUPER_ADMIN'),
    params: fieldParams,
    body: fieldBody,
    responses: { 200: fieldView },
    handler: async ({ params: { name }, body, principal, context }) =>
      ok(await putField(deps, name, body, { principal, context })),
  }),
  defineRoute({
    method: 'POST',
    path: '/legal/policies',
    summary: 'Publish a version of a policy. A published version can never be changed',
    tags,
    access: adminAccess('SUPER_ADMIN'),
    body: policyBody,
    responses: { 201: policyVersionView },
    errors: ['CONFLICT'],
    handler: async ({ body, principal, context }) =>
      created(await publishPolicy(deps, body, { principal, context })),
  }),
];
