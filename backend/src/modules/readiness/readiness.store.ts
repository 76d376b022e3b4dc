import { selectOne, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { evidenceItems, type Evidence, type EvidenceItem } from './readiness.types.ts';

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

/** Returns true when every item of evidence is verified. Raw SQL, since every buy reads it. */
export const isAllEvidenceVerified = async (db: Db): Promise<boolean> => {
  const row = await selectOne<{ verified: bigint }>(
    db,
    sql`
      SELECT count(*) AS verified FROM readiness_evidence
      WHERE verified AND item = ANY(${[...evidenceItems]})`,
  );
  return row?.verified === BigInt(evidenceItems.length);
};

/** Locks an item's evidence, where there is any, until the transaction ends. */
export const lockEvidence = async (tx: Db, item: EvidenceItem): Promise<void> => {
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
