import type { Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { portalActor } from './accounting.types.ts';
import type { PolicyRow } from './books.schemas.ts';
import type { AccountingWriteDeps, PortalAuthor } from './put-statutory-parameter.ts';

/** Returns a page of determinations, newest first, and the number of those that match. */
export const listPolicies = async (db: Db, topic: string | undefined, page: Page) => {
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
  readonly reference?: string | undefined;
}

/** Records how the house decided a question of tax or accounting; a later one replaces it. */
export const recordPolicy = async (
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
