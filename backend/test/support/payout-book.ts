import type { NewPayout, Payout, PayoutView } from '../../src/modules/payouts/index.ts';
import { paise } from '../../src/money/index.ts';
import type { Clock } from '../../src/platform/clock/clock.ts';
import type { Db } from '../../src/platform/db/index.ts';
import type { Random } from '../../src/platform/ids/random.ts';

/** Payouts that are written and never sent: for tests of sells alone. */
export const createPayoutBook = (deps: { readonly clock: Clock; readonly random: Random }) => {
  const { clock, random } = deps;
  return {
    async insertPayout(db: Db, payout: NewPayout): Promise<string> {
      const id = random.uuid();
      const at = clock.now();
      const data = { ...payout, id, status: 'PENDING', createdAt: at, updatedAt: at };
      await db.payout.create({ data });
      return id;
    },

    async findPayoutOfOrder(db: Db, orderId: string): Promise<Payout | undefined> {
      const row = await db.payout.findUnique({ where: { orderId } });
      if (row === null) return undefined;
      return {
        ...row,
        status: 'PENDING',
        amountPaise: paise(row.amountPaise),
        accountLast4: '1234',
      };
    },

    presentPayout: (payout: Payout): PayoutView => ({
      id: payout.id,
      orderId: payout.orderId,
      bankAccountId: payout.bankAccountId,
      accountLast4: payout.accountLast4,
      amountPaise: Number(payout.amountPaise),
      status: payout.status,
      mode: payout.mode,
      utr: payout.utr,
      attempt: payout.attempt,
      failureReason: payout.failureReason,
      createdAt: payout.createdAt.toISOString(),
      paidAt: payout.paidAt?.toISOString() ?? null,
    }),
  };
};
