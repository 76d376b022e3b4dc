import type { Client } from 'pg';
import { z } from 'zod';

/** An invariant that is broken, and the row that shows it. */
export interface Violation {
  readonly invariant: number;
  readonly says: string;
  readonly row: object;
}

const payoutsSchema = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      referenceId: z.string().nullable(),
      amountPaise: z.number(),
      status: z.string(),
    }),
  ),
});

interface AttemptRow {
  readonly key: string;
  readonly payout_id: string;
  readonly amount: string;
  readonly order_status: string;
}

const says = {
  strange: 'every payout at the provider is an attempt of a payout here, of its amount',
  twice: 'no payout was paid twice at the provider',
  unpaid: 'a payout that reads PAID was paid at the provider',
} as const;

/** The newest payouts, which are requested from the sandbox. */
const listed = 20_000;

/** Invariant 5, held against the payout provider's own books. */
export const comparePayouts = async (client: Client, sandboxUrl: string): Promise<Violation[]> => {
  const response = await fetch(`${sandboxUrl}/_control/payouts?limit=${listed}`);
  const { items } = payoutsSchema.parse(await response.json());
  const { rows } = await client.query<AttemptRow>(
    `SELECT a.idempotency_key AS key, p.id AS payout_id, p.amount_paise::text AS amount,
       o.status AS order_status
     FROM payout_attempt a JOIN payout p ON p.id = a.payout_id
     JOIN gold_order o ON o.id = p.order_id`,
  );
  const attempts = new Map(rows.map((row) => [row.key, row]));
  const found: Violation[] = [];
  const paid = new Map<string, number>();
  for (const item of items) {
    const attempt = attempts.get(item.referenceId ?? '');
    if (attempt?.amount !== String(item.amountPaise)) {
      found.push({ invariant: 5, says: says.strange, row: { item, attempt } });
      continue;
    }
    const isPaid = item.status === 'processed';
    if (isPaid) paid.set(attempt.payout_id, (paid.get(attempt.payout_id) ?? 0) + 1);
  }
  for (const [payoutId, times] of paid) {
    if (times > 1) found.push({ invariant: 5, says: says.twice, row: { payoutId, times } });
  }
  // Half of what the sandbox lists: it also has those that a restored database lost.
  const { rows: unpaid } = await client.query<{ id: string }>(
    `SELECT id FROM payout WHERE status = 'PAID' ORDER BY created_at DESC, id DESC LIMIT $1`,
    [listed / 2],
  );
  for (const { id } of unpaid) {
    if (paid.get(id) !== 1) found.push({ invariant: 5, says: says.unpaid, row: { id } });
  }
  return found;
};
