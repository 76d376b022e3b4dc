import type { InTransaction } from '../../platform/db/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { validationError, type RequestContext } from '../../platform/http/index.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { presentEvidence, type EvidenceBody } from './readiness.schemas.ts';
import { findEvidence, lockEvidence, upsertEvidence } from './readiness.store.ts';
import { readCertificateValue, type Evidence, type EvidenceItem } from './readiness.types.ts';

export interface PutEvidenceDeps {
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
  readonly clock: Clock;
}

/**
 * Replaces the evidence of an item, and writes an audit row in the same transaction.
 * @throws AppError VALIDATION_FAILED for a custodian's certificate without grams and a day
 */
export const putEvidence = async (
  { inTransaction, audit, clock }: PutEvidenceDeps,
  { item, body }: { readonly item: EvidenceItem; readonly body: EvidenceBody },
  { principal, context }: { readonly principal: AdminPrincipal; readonly context: RequestContext },
): Promise<Evidence> => {
  if (item === 'custodian_certificate' && readCertificateValue(body.value) === undefined) {
    throw validationError([
      { field: 'value', message: 'must be grams and a day, such as 12345.6789 g of 2026-01-15' },
    ]);
  }
  const evidence = { ...body, expiresOn: body.expiresOn ?? null, updatedAt: clock.now() };
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
