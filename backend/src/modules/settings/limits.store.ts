import type { Db } from '../../platform/db/index.ts';
import { paise } from '../../money/index.ts';
import { defaultLimits, limitNames, type Limits } from './limits.ts';

const rowId = 1;

/** The one row of `limits_setting`. */
export const createLimitsStore = (db: Db) => ({
  async find(): Promise<Limits | undefined> {
    const row = await db.limitsSetting.findUnique({ where: { id: rowId } });
    if (row === null) return undefined;
    const entries = limitNames.map((name) => [name, paise(row[name])] as const);
    return { ...defaultLimits, ...Object.fromEntries(entries) };
  },

  /** Locks the row until the transaction ends, so that what is read next is what is replaced. */
  async lock(): Promise<void> {
    await db.$queryRaw`SELECT id FROM limits_setting WHERE id = ${rowId} FOR UPDATE`;
  },

  async replace(limits: Limits, updatedBy: string, updatedAt: Date): Promise<void> {
    const data = { ...limits, updatedBy, updatedAt };
    await db.limitsSetting.upsert({
      where: { id: rowId },
      create: { id: rowId, ...data },
      update: data,
    });
  },
});
