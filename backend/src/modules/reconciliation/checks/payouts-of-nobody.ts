import type { ProviderPayout } from '../../../adapters/payout-provider/port.ts';
import { toSafePaise } from '../../../money/index.ts';
import { sql } from '../../../platform/db/index.ts';
import { mostSamples, type Findings, type Read } from '../reconciliation.types.ts';

/** Matches the references that this service creates (contract: payouts > Payout attempts). */
const ownReference = /^(?<payout>[0-9a-f]{32})-\d+$/u;

const withHyphens = (id: string): string =>
  id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5');

/**
 * Finds payouts of the provider that were or will be paid with a reference of ours which no attempt
 * here has. The row was lost when a database was restored, or failed over to a standby that lacked
 * it. An attempt is written before it is sent, and this reads after the response.
 */
export const findPayoutsOfNobody = async (
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
  const unknown = new Set(rows.map(({ reference }) => reference));
  const found = own.filter(({ referenceId = '' }) => unknown.has(referenceId));
  return {
    count: found.length,
    samples: found.slice(0, mostSamples).map((payout) => ({
      problem: 'PAID_THERE_ONLY',
      payoutId: withHyphens(ownReference.exec(payout.referenceId ?? '')?.groups?.['payout'] ?? ''),
      providerPayoutId: payout.providerPayoutId,
      atProvider: payout.status,
      amountAtProviderPaise: toSafePaise(payout.amountPaise),
      utr: payout.utr ?? null,
    })),
  };
};
