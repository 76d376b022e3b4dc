import { selectRows, sql, type Db } from '../../platform/db/index.ts';
import { recordedItems, type Evidence, type EvidenceItem } from './readiness.types.ts';

/* The table is `readiness_evidence`. */

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

/** Locks an item's evidence, if there is any, until the transaction ends. */
export const lockEvidence = async (tx: Db, item: EvidenceItem): Promise<void> => {
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
