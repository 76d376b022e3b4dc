import { selectRows, sql, type Db, type InTransaction } from '../../platform/db/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { evidenceItems, type Evidence, type EvidenceItem } from './readiness.types.ts';
import { presentEvidence, type EvidenceBody } from './readiness.schemas.ts';

/* The rows of `readiness_evidence`. */

export const findAllEvidence = async (db: Db): Promise<ReadonlyMap<string, Evidence>> => {
  const rows = await db.readinessEvidence.findMany({
    where: { item: { in: [...evidenceItems] } },
  });
  return new Map(
    rows.map(({ item, value, reference, verified, updatedAt }) => [
      item,
      { value, reference, verified, updatedAt },
    ]),
  );
};

/** Locks an item's evidence, where there is any, until the transaction ends. */
const lockEvidence = async (tx: Db, item: EvidenceItem): Promise<void> => {
  await selectRows(tx, sql`SELECT item FROM readiness_evidence WHERE item = ${item} FOR UPDATE`);
};

export const findEvidence = async (db: Db, item: EvidenceItem): Promise<Evidence | undefined> =>
  (await db.readinessEvidence.findUnique({ where: { item } })) ?? undefined;

export const upsertEvidence = async (
  db: Db,
  item: EvidenceItem,
  evidence: Evidence & { readonly updatedBy: string | null },
): Promise<void> => {
  await db.readinessEvidence.upsert({
    where: { item },
    create: { item, ...evidence },
    update: evidence,
  });
};

export interface PutEvidenceDeps {
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
  readonly clock: Clock;
}

/** Replaces the evidence of an item, with its audit row in the same transaction. */
export const putEvidence = async (
  { inTransaction, audit, clock }: PutEvidenceDeps,
  { item, body }: { readonly item: EvidenceItem; readonly body: EvidenceBody },
  { principal, context }: { readonly principal: AdminPrincipal; readonly context: RequestContext },
): Promise<Evidence> => {
  const evidence = { ...body, updatedAt: clock.now() };
  await inTransaction(async (tx) => {
    await lockEvidence(tx, item);
    const before = await findEvidence(tx, item);
    await upsertEvidence(tx, item, { ...evidence, updatedBy: principal.adminId });
    await audit.record(tx, {
      action: 'readiness.evidence.put',
      ...adminActor(principal, context),
      target: { type: 'readiness_evidence', id: item },
      ...(before !== undefined && { before: presentEvidence(before) }),
      after: body,
    });
  });
  return evidence;
};
