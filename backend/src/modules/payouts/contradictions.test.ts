import { describe, expect } from 'vitest';
import { payoutRow, playPayout, retryPayout } from '#test/support/payout-calls.ts';
import { payoutTest } from '#test/support/payout-test.ts';
import type { OpenPayouts } from '#test/support/open-payouts.ts';

const it = payoutTest()
  .extend(
    'superAdmin',
    { scope: 'file' },
    async ({ open }) => (await open.operator('SUPER_ADMIN')).call,
  )
  .extend('admin', { scope: 'file' }, async ({ open }) => (await open.operator('ADMIN')).call);

/** Delivers an event of a payout's newest attempt. */
const deliverEvent = async (open: OpenPayouts, payoutId: string, status: string) => {
  const { providerPayoutId: id } = await payoutRow(open, payoutId);
  const entity = { id, status };
  await open.deliver({ event: `payout.${status}`, payload: { payout: { entity } } });
};

/** Creates a payout that the provider reports as failed, and returns its id. */
const createFailedPayout = async (open: OpenPayouts) => {
  const { payoutId } = await open.payout();
  await open.drain();
  await playPayout(open, payoutId, 'failed');
  await deliverEvent(open, payoutId, 'failed');
  expect((await payoutRow(open, payoutId)).status).toBe('FAILED');
  return payoutId;
};

const note = 'The bank confirms in writing that nothing arrived, ticket 4711.';
const forbidden = { status: 403, code: 'FORBIDDEN' };
const withoutNote = { status: 400, code: 'VALIDATION_FAILED', field: 'note' };

describe('a retry after the provider contradicted itself about an attempt', () => {
  it('is allowed only to a SUPER_ADMIN who adds a note', async ({ open, superAdmin, admin }) => {
    const payoutId = await createFailedPayout(open);
    await deliverEvent(open, payoutId, 'processed');
    const before = await payoutRow(open, payoutId);
    expect(await retryPayout(admin, payoutId, { note })).toMatchObject(forbidden);
    expect(await retryPayout(superAdmin, payoutId)).toMatchObject(withoutNote);
    expect(await retryPayout(superAdmin, payoutId, { note: '   ' })).toMatchObject(withoutNote);
    expect(await payoutRow(open, payoutId)).toEqual(before);
    expect(await retryPayout(superAdmin, payoutId, { note })).toMatchObject({
      status: 200,
      body: { status: 'PENDING' },
    });
    const [entry] = await open.system.db.auditLog.findMany({
      where: { targetId: payoutId, action: 'payout.retry' },
    });
    expect(entry?.sealed).toEqual(expect.any(String));
    expect(JSON.stringify([entry?.before, entry?.after])).not.toContain('ticket 4711');
  });

  it('stays restricted after a further attempt, even if the retry itself found the contradiction', async ({
    open,
    superAdmin,
    admin,
  }) => {
    const payoutId = await createFailedPayout(open);
    await playPayout(open, payoutId, 'processed');
    const undecided = { status: 409, code: 'OUTCOME_UNDECIDED' };
    expect(await retryPayout(admin, payoutId)).toMatchObject(undecided);
    await playPayout(open, payoutId, 'failed');
    expect(await retryPayout(admin, payoutId)).toMatchObject(forbidden);
    expect(await retryPayout(superAdmin, payoutId, { note })).toMatchObject({ status: 200 });
    await open.drain();
    await playPayout(open, payoutId, 'failed');
    await deliverEvent(open, payoutId, 'failed');
    expect(await retryPayout(admin, payoutId)).toMatchObject(forbidden);
  });

  it('is restricted even if a query, and no event, contradicts an older attempt', async ({
    open,
    superAdmin,
    admin,
  }) => {
    const payoutId = await createFailedPayout(open);
    expect(await retryPayout(admin, payoutId)).toMatchObject({ status: 200 });
    await open.drain();
    await playPayout(open, payoutId, 'failed');
    await deliverEvent(open, payoutId, 'failed');
    await playPayout(open, `${payoutId.replaceAll('-', '')}-1`, 'processed');
    const undecided = { status: 409, code: 'OUTCOME_UNDECIDED' };
    expect(await retryPayout(admin, payoutId)).toMatchObject(undecided);
    expect((await payoutRow(open, payoutId)).status).toBe('FAILED');
    expect(await retryPayout(admin, payoutId)).toMatchObject(forbidden);
    expect(await retryPayout(superAdmin, payoutId, { note })).toMatchObject(undecided);
  });

  it('does not restrict other retries, to which an ADMIN may add a note', async ({
    open,
    admin,
  }) => {
    const [plain, noted] = [await createFailedPayout(open), await createFailedPayout(open)];
    expect(await retryPayout(admin, plain)).toMatchObject({ status: 200 });
    expect(await retryPayout(admin, noted, { note })).toMatchObject({ status: 200 });
    expect(await retryPayout(admin, noted, { note: 'x'.repeat(2001) })).toMatchObject({
      status: 400,
    });
  });
});
