import type { Db } from '../../platform/db/index.ts';
import { evidenceItems, type Evidence, type EvidenceItem } from './readiness.types.ts';

/** The rows of `readiness_evidence`. */
export const createReadinessStore = (db: Db) => ({
  async all(): Promise<ReadonlyMap<string, Evidence>> {
    const rows = await db.readinessEvidence.findMany({
      where: { item: { in: [...evidenceItems] } },
    });
    return new Map(
      rows.map(({ item, value, reference, verified, updatedAt }) => [
        item,
        { value, reference, verified, updatedAt },
      ]),
    );
  },

  /** True when every item of evidence is verified; one index probe, for the gate. */
  async isAllVerified(): Promise<boolean> {
    const rows = await db.$queryRaw<{ verified: bigint }[]>`
      SELECT count(*) AS verified FROM readiness_evidence
      WHERE verified AND item = ANY(${[...evidenceItems]})`;
    return rows[0]?.verified === BigInt(evidenceItems.length);
  },

  /** Locks an item's evidence, where there is any, until the transaction ends. */
  async lock(item: EvidenceItem): Promise<void> {
    await db.$queryRaw`SELECT item FROM readiness_evidence WHERE item = ${item} FOR UPDATE`;
  },

  async find(item: EvidenceItem): Promise<Evidence | undefined> {
    return (await db.readinessEvidence.findUnique({ where: { item } })) ?? undefined;
  },

  async put(
    item: EvidenceItem,
    evidence: Evidence & { readonly updatedBy: string | null },
  ): Promise<void> {
    await db.readinessEvidence.upsert({
      where: { item },
      create: { item, ...evidence },
      update: evidence,
    });
  },
});
