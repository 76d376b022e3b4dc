import type { Db } from '../../platform/db/index.ts';
import { statesBefore } from './payouts.states.ts';

const requireMoved = (count: number, id: string, to: string): void => {
  if (count !== 1) throw new Error(`payout ${id} can't become ${to}`);
};

/** What the provider's word, or the lack of one, does to a payout. */
export const createPayoutOutcomeStore = (db: Db) => {
  return {
    /** The provider has it. */
    async named(id: string, providerPayoutId: string, at: Date): Promise<void> {
      await db.$executeRaw`
        UPDATE payout
        SET provider_payout_id = ${providerPayoutId}, updated_at = ${at}::timestamptz
        WHERE id = ${id}::uuid AND status = 'PROCESSING'`;
    },

    async paid(
      id: string,
      paid: { providerPayoutId: string; utr: string | undefined; at: Date },
    ): Promise<void> {
      const { providerPayoutId, utr, at } = paid;
      const count = await db.$executeRaw`
        UPDATE payout
        SET status = 'PAID', provider_payout_id = ${providerPayoutId}, utr = ${utr ?? null},
          failure_reason = NULL, paid_at = ${at}::timestamptz, updated_at = ${at}::timestamptz
        WHERE id = ${id}::uuid AND status = ANY(${statesBefore('PAID')}::text[])`;
      requireMoved(count, id, 'PAID');
    },

    async ended(
      id: string,
      end: {
        status: 'FAILED' | 'REVERSED';
        providerPayoutId: string | undefined;
        reason: string;
        at: Date;
      },
    ): Promise<void> {
      const { status, providerPayoutId, reason, at } = end;
      const count = await db.$executeRaw`
        UPDATE payout
        SET status = ${status}, failure_reason = ${reason}, paid_at = NULL,
          provider_payout_id = coalesce(${providerPayoutId ?? null}, provider_payout_id),
          updated_at = ${at}::timestamptz
        WHERE id = ${id}::uuid AND status = ANY(${statesBefore(status)}::text[])`;
      requireMoved(count, id, status);
    },
  };
};
