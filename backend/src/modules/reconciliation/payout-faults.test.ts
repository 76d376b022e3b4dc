import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBooks, type OpenBooks } from '#test/support/open-books.ts';
import { createFoundBy, type FoundBy } from '#test/support/found-by.ts';
import { eventually } from '#test/support/eventually.ts';
import { checkIds } from './index.ts';

let books: OpenBooks;
let foundBy: FoundBy;
beforeAll(async () => {
  books = await openBooks();
  foundBy = createFoundBy(books);
});
afterAll(() => books.close());

const ageBy = (minutes: number): string => `- interval '${minutes} minutes'`;

it('the reconciliation has OK for all thirteen checks of consistent books', async () => {
  const sold = await books.sell();
  await books.playPayout(sold.payoutId, 'processed');
  await eventually(async () => expect(await books.statusOf(sold.orderId)).toBe('COMPLETED'));
  const back = await books.sell();
  await books.playPayout(back.payoutId, 'failed');
  await books.sell('500', '600');
  const unpaid = await books.place(await books.customer());
  await books.pay(unpaid, { outcome: 'failed' });
  await eventually(async () => expect(await books.statusOf(unpaid.orderId)).toBe('FAILED'));
  const { status, body } = await books.report();
  expect(status).toBe(200);
  const ok = { status: 'OK', count: 0, samples: [] };
  expect(body).toMatchObject({
    windowHours: 72,
    summary: { ok: 13, findings: 0, errors: 0 },
    checks: checkIds.map((id) => ({ id, ...ok })),
  });
});

it('the reconciliation finds a sale without a payout', async () => {
  const found = await foundBy(async () => {
    const { orderId, userId, payoutId } = await books.sell();
    // The provider did not trade the sale either, so that one fault remains.
    await books.playPayout(payoutId, 'failed', { deliver: 'none' });
    await books.asOwner('DELETE FROM payout_attempt WHERE payout_id = $1', payoutId);
    await books.asOwner('DELETE FROM payout WHERE id = $1', payoutId);
    return { orderId, userId, orderStatus: 'CONFIRMED', payoutId: null };
  });
  expect(found).toEqual(['sell_without_payout']);
});

it('the reconciliation finds a payout of another amount than its sale', async () => {
  const found = await foundBy(async () => {
    const { orderId, payoutId } = await books.sell();
    await books.asOwner(
      'UPDATE payout SET amount_paise = amount_paise + 1 WHERE id = $1',
      payoutId,
    );
    return { orderId, payoutId };
  });
  expect(found).toEqual(['sell_without_payout']);
});

it('the reconciliation finds a payout for a sale that was never confirmed', async () => {
  const found = await foundBy(async () => {
    const { orderId: soldId } = await books.sell();
    const { orderId, payoutId } = await books.sell();
    const { orderId: unpaidId } = await books.place(await books.customer());
    await books.asOwner('UPDATE payout SET order_id = $2 WHERE id = $1', payoutId, unpaidId);
    // The sale that lost its payout is repaired, so that one fault remains. The price, and with it
    // the proceeds, may have changed since the first sale.
    await books.asOwner(
      `INSERT INTO payout SELECT (jsonb_populate_record(p, jsonb_build_object('id', $2::text,
         'order_id', o.id, 'amount_paise', o.proceeds_paise - o.withheld_paise))).*
       FROM payout p, gold_order o WHERE p.order_id = $1 AND o.id = $3::uuid`,
      soldId,
      randomUUID(),
      orderId,
    );
    return { orderId: unpaidId, payoutId, orderStatus: 'PENDING' };
  });
  expect(found).toEqual(['sell_without_payout']);
});

it('the reconciliation finds a payout that has been in progress for over a day', async () => {
  const found = await foundBy(async () => {
    const { orderId, userId, payoutId } = await books.sell();
    await books.asOwner(
      `UPDATE payout SET dispatched_at = dispatched_at ${ageBy(24 * 60 + 1)} WHERE id = $1`,
      payoutId,
    );
    return { payoutId, orderId, userId, payoutStatus: 'PROCESSING' };
  });
  expect(found).toEqual(['payout_stuck']);
});

it('the reconciliation finds a failed payout that was not retried for a day', async () => {
  const found = await foundBy(async () => {
    const fresh = await books.sell();
    await books.playPayout(fresh.payoutId, 'failed');
    const { orderId, payoutId } = await books.sell();
    await books.playPayout(payoutId, 'failed');
    await eventually(async () => {
      const row = await books.system.db.payout.findUniqueOrThrow({ where: { id: payoutId } });
      expect(row.status).toBe('FAILED');
    });
    await books.asOwner(
      `UPDATE payout SET updated_at = updated_at ${ageBy(24 * 60 + 1)} WHERE id = $1`,
      payoutId,
    );
    return { payoutId, orderId, payoutStatus: 'FAILED' };
  });
  expect(found).toEqual(['payout_stuck']);
});

it('the reconciliation finds a payout that the provider has paid without an event', async () => {
  const found = await foundBy(async () => {
    const { payoutId } = await books.sell();
    await books.playPayout(payoutId, 'processed', { deliver: 'none' });
    const paise: unknown = expect.any(Number);
    const amounts = { amountPaise: paise, amountAtProviderPaise: paise };
    return { problem: 'PROVIDER_SAYS_OTHERWISE', payoutId, atProvider: 'PAID', ...amounts };
  });
  expect(found).toEqual(['payout_stuck']);
});

it('the reconciliation finds a payout of the provider without an attempt here', async () => {
  const found = await foundBy(async () => {
    const { payoutId } = await books.sell();
    await books.playPayout(payoutId, 'processed');
    await eventually(async () => {
      const row = await books.system.db.payout.findUniqueOrThrow({ where: { id: payoutId } });
      expect(row.status).toBe('PAID');
    });
    // Here the payout has a second attempt, but no first attempt.
    await books.asOwner(
      `UPDATE payout_attempt SET attempt_no = 2,
         idempotency_key = replace(payout_id::text, '-', '') || '-2' WHERE payout_id = $1`,
      payoutId,
    );
    await books.asOwner('UPDATE payout SET attempt = 2 WHERE id = $1', payoutId);
    return { payoutId, problem: 'PAID_THERE_ONLY', atProvider: 'PAID' };
  });
  expect(found).toEqual(['payout_stuck']);
});

it('the reconciliation finds a payout that is PAID here and not paid at the provider', async () => {
  const found = await foundBy(async () => {
    const { payoutId } = await books.sell();
    await books.asOwner(
      `UPDATE payout SET status = 'PAID', paid_at = updated_at WHERE id = $1`,
      payoutId,
    );
    return { payoutId, payoutStatus: 'PAID', atProvider: 'PROCESSING' };
  });
  expect(found).toEqual(['payout_stuck']);
});

/** A payout above the cap, approved by a SUPER_ADMIN. */
const bigPayout = async (): Promise<{ payoutId: string; orderId: string }> => {
  const sold = await books.sell('120000', '190000');
  const superAdmin = await books.operator('SUPER_ADMIN');
  const approved = await superAdmin('POST', `/payouts/${sold.payoutId}/approve`);
  expect(approved.status).toBe(200);
  await books.drain();
  return sold;
};

it('the reconciliation finds a payout above the cap without an approval', async () => {
  const found = await foundBy(async () => {
    const { payoutId, orderId } = await bigPayout();
    await books.asOwner(
      'UPDATE payout SET approved_by = NULL, approved_at = NULL WHERE id = $1',
      payoutId,
    );
    return { payoutId, orderId, approvedBy: null };
  });
  expect(found).toEqual(['payout_over_cap_unapproved']);
});

it('the reconciliation accepts the approval of a former SUPER_ADMIN, and not that of an ADMIN', async () => {
  const found = await foundBy(async () => {
    const former = await bigPayout();
    await books.asOwner(
      `UPDATE admin_user SET role = 'ADMIN'
       WHERE id = (SELECT approved_by FROM payout WHERE id = $1)`,
      former.payoutId,
    );
    const { payoutId } = await bigPayout();
    const { adminId } = await books.factories.admin('ADMIN');
    await books.asOwner('UPDATE payout SET approved_by = $2 WHERE id = $1', payoutId, adminId);
    return { payoutId, approvedBy: adminId, approverRole: 'ADMIN' };
  });
  expect(found).toEqual(['payout_over_cap_unapproved']);
});
