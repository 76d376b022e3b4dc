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
import {
  filePermissionOf,
  fileTypes,
  policiesRegister,
  statutoryRegister,
  windowOf,
} from '../registers/index.ts';
import { fileErrors, writeFile, type FilesDeps } from './write-file.ts';
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

/** Returns a page of the determinations that match, newest first, and their total number. */
const listPolicies = async (
  db: Db,
  { topic, from, until }: { readonly topic?: string | undefined } & ReturnType<typeof windowOf>,
  page: Page,
) => {
  const where = {
    ...(topic !== undefined && { topic }),
    createdAt: {
      ...(from !== undefined && { gte: from }),
      ...(until !== undefined && { lt: until }),
    },
  };
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

/** Records how the house decided a question of tax or accounting. A later decision replaces it. */
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

/** Declares policy determinations. */
const createPolicyRoutes = (deps: AccountingWriteDeps & FilesDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/gold/policy-determinations',
    summary: 'Decisions on tax and accounting questions, newest first',
    tags: ['policy'],
    access: portalRead('gold.policy.read', filePermissionOf),
    query: policyQuery,
    responses: { 200: policyPage },
    produces: Object.values(fileTypes),
    errors: fileErrors,
    handler: async ({ query, principal: reader, context }) => {
      const { topic, from, to, format, ...page } = query;
      if (format !== 'json') {
        const filter = { from, to, status: undefined, q: topic };
        return writeFile(deps, {
          register: policiesRegister,
          query: filter,
          format,
          reader,
          context,
        });
      }
      const filter = { topic, ...windowOf({ from, to }) };
      const { rows, total } = await listPolicies(deps.db, filter, page);
      return ok({ items: rows.map(presentPolicy), total, ...page });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/gold/policy-determinations',
    summary: 'Record a decision on a tax or accounting question',
    tags: ['policy'],
    access: portalWrite('gold.policy.write'),
    body: policyBody,
    responses: { 201: policyView },
    handler: async ({ body, principal, context }) =>
      created(presentPolicy(await recordPolicy(deps, body, { principal, context }))),
  }),
];

/** Declares statutory parameters and policy determinations. */
export const createStatutoryAccountingRoutes = (deps: AccountingWriteDeps & FilesDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/gold/statutory-parameters',
    summary: 'Statutory parameters, each with the day on which it takes effect',
    tags: ['statutory'],
    access: portalRead('gold.statutory.read', filePermissionOf),
    query: statutoryQuery,
    responses: { 200: statutoryPage },
    produces: Object.values(fileTypes),
    errors: fileErrors,
    handler: async ({ query, principal: reader, context }) => {
      const { key, from, to, format, ...page } = query;
      if (format !== 'json') {
        const filter = { from, to, status: undefined, q: key };
        return writeFile(deps, {
          register: statutoryRegister,
          query: filter,
          format,
          reader,
          context,
        });
      }
      const filter = { key, ...windowOf({ from, to }) };
      const { rows, total } = await listStatutory(deps.db, filter, page);
      return ok({ items: rows.map(presentStatutory), total, ...page });
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/gold/statutory-parameters/:key',
    summary: 'Set the value of a statutory parameter from a given day on',
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
  ...createPolicyRoutes(deps),
];

const passbook = { entries_available: z.literal(false) };

/** The ledger has no entries, so it has no files either. */
const ledgerQuery = pageQuery.extend({ format: z.enum(['json']).default('json') });

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

/** Declares the ledger, which is empty by design, and the reason why nothing is posted to it. */
export const createLedgerAccountingRoutes = ({
  switches,
}: {
  readonly switches: Switches;
}): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/gold/ledger-entries',
    summary: 'The passbook, which has no entries by design',
    tags: ['ledger'],
    access: portalRead('gold.ledger.read'),
    query: ledgerQuery,
    responses: { 200: ledgerView },
    handler: async ({ query: { page, limit } }) =>
      ok({ items: [], total: 0, page, limit, entries_available: false }),
  }),
  defineRoute({
    method: 'GET',
    path: '/gold/posting-status',
    summary: 'The reason why nothing is posted to the ledger',
    tags: ['ledger'],
    access: portalRead('gold.ledger.read'),
    responses: { 200: postingStatusView },
    handler: async () => {
      const { isEnabled: autoPostingEnabled, code } = await readPostingRefusal(switches);
      return ok({ autoPostingEnabled, engineWired: false, code, entries_available: false });
    },
  }),
];
