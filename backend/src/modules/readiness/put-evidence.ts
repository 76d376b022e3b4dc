import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { presentEvidence, type EvidenceBody } from './readiness.schemas.ts';
import { findEvidence, lockEvidence, upsertEvidence } from './readiness.store.ts';
import type { Evidence, EvidenceItem } from './readiness.types.ts';

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
