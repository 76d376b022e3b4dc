import type { Db } from '../../platform/db/index.ts';
import { itemTable } from './readiness.items.ts';
import { createReadinessStore } from './readiness.store.ts';
import {
  askedItems,
  evidenceItems,
  type AskedItem,
  type Evidence,
  type Finding,
  type Look,
  type ReadinessItem,
} from './readiness.types.ts';

const evidenceFinding = (evidence: Evidence | undefined): Finding => {
  if (evidence === undefined) return { status: 'FAIL', detail: 'No evidence was brought.' };
  return evidence.verified
    ? { status: 'PASS', detail: 'The evidence is verified.' }
    : { status: 'FAIL', detail: 'The evidence is not verified.' };
};

const lookSafely = async (look: Look): Promise<Finding> => {
  try {
    return await look();
  } catch {
    return { status: 'UNKNOWN', detail: 'It could not be asked.' };
  }
};

/** The operators' report: evidence from the store, the rest by asking. */
export const createReadinessReport = (options: {
  readonly db: Db;
  readonly looks: Readonly<Record<AskedItem, Look>>;
}): (() => Promise<ReadinessItem[]>) => {
  const { db, looks } = options;
  return async () => {
    const evidence = await createReadinessStore(db).all();
    const proven = evidenceItems.map((id): ReadinessItem => {
      const found = evidence.get(id);
      return {
        id,
        ...itemTable[id],
        ...evidenceFinding(found),
        ...(found !== undefined && { evidence: found }),
      };
    });
    const asked = await Promise.all(
      askedItems.map(async (id): Promise<ReadinessItem> => ({
        id,
        ...itemTable[id],
        ...(await lookSafely(looks[id])),
      })),
    );
    return [...proven, ...asked];
  };
};

export const isBlocked = (item: ReadinessItem): boolean => item.blocking && item.status !== 'PASS';
