import type { ProviderPayout } from '../../../adapters/payout-provider/port.ts';
import { toSafePaise } from '../../../money/index.ts';
import { sql } from '../../../platform/db/index.ts';
import { maxSamples, type Findings, type Read } from '../reconciliation.types.ts';

/** Matches the references that this service creates (contract: payouts > Payout attempts). */
const ownReference = /^(?<payout>[0-9a-f]{32})-\d+$/u;

const withHyphens = (id: string): string =>
  id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5');

/**
 * Finds payouts of the provider that are paid or being paid and have a reference of this service,
 * but no attempt here. Every attempt is committed before it is sent, so its row was lost with a
 * restored database, or with a standby that took over without it. The attempts are read after the
 * provider's response, so a new attempt is never reported.
 */
export const findLostPayouts = async (
  read: Read,
  payouts: readonly ProviderPayout[],
): Promise<Findings> => {
  const own = payouts.filter(
    ({ status, referenceId }) =>
      (status === 'PAID' || status === 'PROCESSING') && ownReference.test(referenceId ?? ''),
  );
  const references = own.map(({ referenceId }) => referenceId ?? '');
  const rows = await read<{ reference: string }>(sql`
    SELECT fetched.reference FROM unnest(${references}::text[]) AS fetched (reference)
    WHERE NOT EXISTS (SELECT FROM payout_attempt a WHERE a.idempotency_key = fetched.reference)`);
  const lostReferences = new Set(rows.map(({ reference }) => reference));
  const lost = own.filter(({ referenceId = '' }) => lostReferences.has(referenceId));
  return {
    count: lost.length,
    samples: lost.slice(0, maxSamples).map((payout) => ({
      problem: 'PAID_THERE_ONLY',
      payoutId: withHyphens(ownReference.exec(payout.referenceId ?? '')?.groups?.['payout'] ?? ''),
      providerPayoutId: payout.providerPayoutId,
      atProvider: payout.status,
      amountAtProviderPaise: toSafePaise(payout.amountPaise),
      utr: payout.utr ?? null,
    })),
  };
};
