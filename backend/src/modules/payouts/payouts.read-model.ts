import type { Db } from '../../platform/db/index.ts';

/** Whether a payout to this bank account may yet be paid: PENDING or PROCESSING. */
export const hasPayoutInFlight = async (db: Db, bankAccountId: string): Promise<boolean> => {
  const rows = await db.$queryRaw<{ id: string }[]>`
    SELECT id FROM payout
    WHERE bank_account_id = ${bankAccountId}::uuid AND status IN ('PENDING', 'PROCESSING')
    LIMIT 1`;
  return rows.length > 0;
};
