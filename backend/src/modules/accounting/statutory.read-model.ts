import { bps, type Bps } from '../../money/index.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { selectOne, sql, type Db } from '../../platform/db/index.ts';

/** Applies until a row says otherwise: 3 %. */
const defaultGstRateBps = 300n;

/**
 * Returns the GST rate in force on the IST date of `at`, in basis points: the statutory parameter
 * `gst_rate_bps`, whose rows are effective-dated and never overwritten. Raw SQL, since every quote
 * and every purchase reads it.
 */
export const gstRateBpsOn = async (db: Db, at: Date): Promise<Bps> => {
  const row = await selectOne<{ value: string }>(
    db,
    sql`
      SELECT value FROM statutory_parameter
      WHERE key = 'gst_rate_bps' AND effective_from <= ${istDate(at)}::date
      ORDER BY effective_from DESC LIMIT 1`,
  );
  if (row === undefined) return bps(defaultGstRateBps);
  if (!/^\d{1,5}$/u.test(row.value)) throw new Error('gst_rate_bps is not a rate in basis points');
  return bps(BigInt(row.value));
};
