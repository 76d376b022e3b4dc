import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import {
  offsetOf,
  type Page,
  created,
  defineRoute,
  ok,
  pageQuery,
  type Route,
} from '../../platform/http/index.ts';
import type { Switches } from '../settings/index.ts';
import { portalActor, portalRead, portalWrite } from './accounting.types.ts';
import {
  type PolicyRow,
  policyBody,
  policyPage,
  policyQuery,
  policyView,
  presentPolicy,
  presentStatutory,
  statutoryBody,
  statutoryPage,
  statutoryParams,
  statutoryQuery,
  statutoryView,
} from './books.schemas.ts';
import {
  type AccountingWriteDeps,
  type PortalAuthor,
  putStatutoryParameter,
} from './put-statutory-parameter.ts';
import { postingRefusals, readPostingRefusal } from './posting-gate.ts';
import { listStatutory } from '../statutory/index.ts';

/** Returns a page of determinations, newest first, and the number of those that match. */
const listPolicies = async (db: Db, topic: string | undefined, page: Page) => {
  const where = topic === undefined ? {} : { topic };
  const [rows, total] = await Promise.all([
    db.policyDetermination.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: offsetOf(page),
      take: page.limit,
    }),
    db.policyDetermination.count({ where }),
  ]);
  return { rows, total };
};

interface NewPolicy {
  readonly topic: string;
  readonly determination: string;
  readonly basis: string;
  /** An IST date. */
  readonly effectiveFrom: string;
  readonly reference?: string | null | undefined;
}

/** Records how the house decided a question of tax or accounting; a later one replaces it. */
const recordPolicy = async (
  { inTransaction, clock, random, audit }: AccountingWriteDeps,
  { effectiveFrom, reference, ...policy }: NewPolicy,
  { principal, context }: PortalAuthor,
): Promise<PolicyRow> => {
  const row = {
    id: random.uuid(),
    ...policy,
    reference: reference ?? null,
    effectiveFrom: new Date(effectiveFrom),
    createdBy: principal.portalUserId,
    createdAt: clock.now(),
  };
  const { determination, basis } = policy;
  await inTransaction(async (tx) => {
    await tx.policyDetermination.create({ data: row });
    await audit.record(tx, {
      action: 'accounting.policy-determination.record',
      ...portalActor(principal, context),
      target: { type: 'policy_determination', id: row.id },
      after: { effectiveFrom },
      sealed: { after: { topic: policy.topic, determination, basis, reference: row.reference } },
    });
  });
  return row;
};

/** Declares statutory parameters and policy determinations. */
export const createStatutoryRoutes = (deps: AccountingWriteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/gold/statutory-parameters',
    summary: 'Statutory parameters, each with the day on which it takes effect',
    tags: ['statutory'],
    access: portalRead('gold.statutory.read'),
    query: statutoryQuery,
    responses: { 200: statutoryPage },
    handler: async ({ query: { key, ...page } }) => {
      const { rows, total } = await listStatutory(deps.db, key, page);
      return ok({ items: rows.map(presentStatutory), total, ...page });
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/gold/statutory-parameters/:key',
    summary: 'Set the value of a statutory parameter from a day on',
    tags: ['statutory'],
    access: portalWrite('gold.statutory.write'),
    params: statutoryParams,
    body: statutoryBody,
    responses: { 200: statutoryView },
    errors: ['CONFLICT'],
    handler: async ({ params: { key }, body, principal, context }) => {
      const row = await putStatutoryParameter(deps, { key, ...body }, { principal, context });
      return ok(presentStatutory(row));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/gold/policy-determinations',
    summary: 'Decisions on questions of tax and accounting, newest first',
    tags: ['policy'],
    access: portalRead('gold.policy.read'),
    query: policyQuery,
    responses: { 200: policyPage },
    handler: async ({ query: { topic, ...page } }) => {
      const { rows, total } = await listPolicies(deps.db, topic, page);
      return ok({ items: rows.map(presentPolicy), total, ...page });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/gold/policy-determinations',
    summary: 'Record a decision on a question of tax or accounting',
    tags: ['policy'],
    access: portalWrite('gold.policy.write'),
    body: policyBody,
    responses: { 201: policyView },
    handler: async ({ body, principal, context }) =>
      created(presentPolicy(await recordPolicy(deps, body, { principal, context }))),
  }),
];

const passbook = { entries_available: z.literal(false) };

const ledgerView = z.object({
  items: z.array(z.never()),
  total: z.literal(0),
  page: z.int(),
  limit: z.int(),
  ...passbook,
});

const postingStatusView = z.object({
  autoPostingEnabled: z.boolean(),
  engineWired: z.literal(false),
  code: z.enum(postingRefusals),
  ...passbook,
});

/** Declares the ledger, which is empty by design, and why nothing is posted to it. */
export const createLedgerRoutes = ({ switches }: { readonly switches: Switches }): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/gold/ledger-entries',
    summary: 'The passbook: no entries, by design',
    tags: ['ledger'],
    access: portalRead('gold.ledger.read'),
    query: pageQuery,
    responses: { 200: ledgerView },
    handler: async ({ query }) => ok({ items: [], total: 0, ...query, entries_available: false }),
  }),
  defineRoute({
    method: 'GET',
    path: '/gold/posting-status',
    summary: 'The reason for which nothing is posted to the ledger',
    tags: ['ledger'],
    access: portalRead('gold.ledger.read'),
    responses: { 200: postingStatusView },
    handler: async () => {
      const { isEnabled: autoPostingEnabled, code } = await readPostingRefusal(switches);
      return ok({ autoPostingEnabled, engineWired: false, code, entries_available: false });
    },
  }),
];
