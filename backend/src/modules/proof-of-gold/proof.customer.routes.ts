import type { IncomingHttpHeaders } from 'node:http';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  defineRoute,
  namesTag,
  ok,
  PUBLIC,
  type Reply,
  type Route,
} from '../../platform/http/index.ts';
import { customerAccess } from '../identity/index.ts';
import { dayQuery, ownProofView, presentPublished, publishedView } from './proof.schemas.ts';
import { readOwnProof } from './read-own-proof.ts';
import { findStatement, type Published } from './statements.store.ts';
import { createVerifierRoutes } from './verifier.routes.ts';

/** The header allows only a short time, since a newer statement may be published at any time. */
const cacheControl = 'public, max-age=60';

const answer = (published: Published, requested: IncomingHttpHeaders): Reply => {
  const etag = `"${published.hash.toString('base64url')}"`;
  const headers = { etag, 'cache-control': cacheControl };
  const known = requested['if-none-match'];
  if (known !== undefined && namesTag(known, etag)) return { status: 304, headers };
  return { ...ok(presentPublished(published)), headers };
};

/** Declares the public statements, a customer's own proof, and the verifier. */
export const createProofCustomerRoutes = ({ db }: { readonly db: Db }): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/public/proof-of-gold',
    summary: 'The newest signed statement of proof of gold, of all or of one day',
    tags: ['public'],
    access: PUBLIC,
    query: dayQuery,
    responses: { 200: publishedView, 304: null },
    errors: ['NOT_FOUND'],
    handler: async ({ query, context: { headers } }) => {
      const published = await findStatement(db, query.date);
      if (published === undefined) throw new AppError('NOT_FOUND');
      return answer(published, headers);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/portfolio/proof',
    summary: "The customer's own leaf of a statement, with its path to the signed root",
    tags: ['portfolio'],
    access: customerAccess,
    query: dayQuery,
    responses: { 200: ownProofView },
    errors: ['NOT_FOUND'],
    handler: async ({ query, principal }) =>
      ok(await readOwnProof(db, principal.userId, query.date)),
  }),
  ...createVerifierRoutes(),
];
