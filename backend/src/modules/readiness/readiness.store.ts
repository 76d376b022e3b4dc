import { selectRows, sql, type Db, type InTransaction } from '../../platform/db/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { validationError, type RequestContext } from '../../platform/http/index.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import {
  readCertificateValue,
  recordedItems,
  type Evidence,
  type EvidenceItem,
} from './readiness.types.ts';
import { presentEvidence, type EvidenceBody } from './readiness.schemas.ts';

/* The rows of `readiness_evidence`. */

const dayOf = (date: Date | null): string | null => date?.toISOString().slice(0, 10) ?? null;
const dateOf = (day: string | null): Date | null =>
  day === null ? null : new Date(`${day}T00:00:00.000Z`);

const toEvidence = ({
  value,
  reference,
  verified,
  expiresOn,
  updatedAt,
}: Omit<Evidence, 'expiresOn'> & { readonly expiresOn: Date | null }): Evidence => ({
  value,
  reference,
  verified,
  expiresOn: dayOf(expiresOn),
  updatedAt,
});

export const findAllEvidence = async (db: Db): Promise<ReadonlyMap<string, Evidence>> => {
  const rows = await db.readinessEvidence.findMany({
    where: { item: { in: [...recordedItems] } },
  });
  return new Map(rows.map((row) => [row.item, toEvidence(row)]));
};

/** Locks an item's evidence, where there is any, until the transaction ends. */
const lockEvidence = async (tx: Db, item: EvidenceItem): Promise<void> => {
  await selectRows(tx, sql`SELECT item FROM readiness_evidence WHERE item = ${item} FOR UPDATE`);
};

export const findEvidence = async (db: Db, item: EvidenceItem): Promise<Evidence | undefined> => {
  const row = await db.readinessEvidence.findUnique({ where: { item } });
  return row === null ? undefined : toEvidence(row);
};

export const upsertEvidence = async (
  db: Db,
  item: EvidenceItem,
  {
    expiresOn = null,
    ...evidence
  }: Omit<Evidence, 'expiresOn'> & {
    readonly expiresOn?: string | null;
    readonly updatedBy: string | null;
  },
): Promise<void> => {
  const data = { ...evidence, expiresOn: dateOf(expiresOn) };
  await db.readinessEvidence.upsert({ where: { item }, create: { item, ...data }, update: data });
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
