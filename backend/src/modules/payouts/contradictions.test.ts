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
const tell = async (open: OpenPayouts, payoutId: string, word: string) => {
  const { providerPayoutId: id } = await payoutRow(open, payoutId);
  const entity = { id, status: word };
  await open.deliver({ event: `payout.${word}`, payload: { payout: { entity } } });
};

/** A payout of which the provider says that it was not paid. */
const failed = async (open: OpenPayouts) => {
  const { payoutId } = await open.payout();
  await open.drain();
  await playPayout(open, payoutId, 'failed');
  await tell(open, payoutId, 'failed');
  expect((await payoutRow(open, payoutId)).status).toBe('FAILED');
  return payoutId;
};

const note = 'The bank confirms in writing that nothing arrived, ticket 4711.';
const forbidden = { status: 403, code: 'FORBIDDEN' };
const withoutNote = { status: 400, code: 'VALIDATION_FAILED', field: 'note' };

describe('a retry of an attempt of which the provider contradicted itself', () => {
  it('is for a SUPER_ADMIN who writes why', async ({ open, superAdmin, admin }) => {
    const payoutId = await failed(open);
    await tell(open, payoutId, 'processed');
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

  it('stays so after a further attempt, and when the retry itself learned of it', async ({
    open,
    superAdmin,
    admin,
  }) => {
    const payoutId = await failed(open);
    await playPayout(open, payoutId, 'processed');
    const undecided = { status: 409, code: 'OUTCOME_UNDECIDED' };
    expect(await retryPayout(admin, payoutId)).toMatchObject(undecided);
    await playPayout(open, payoutId, 'failed');
    expect(await retryPayout(admin, payoutId)).toMatchObject(forbidden);
    expect(await retryPayout(superAdmin, payoutId, { note })).toMatchObject({ status: 200 });
    await open.drain();
    await playPayout(open, payoutId, 'failed');
    await tell(open, payoutId, 'failed');
    expect(await retryPayout(admin, payoutId)).toMatchObject(forbidden);
  });

  it('is found of an older attempt too, of which no event told', async ({
    open,
    superAdmin,
    admin,
  }) => {
    const payoutId = await failed(open);
    expect(await retryPayout(admin, payoutId)).toMatchObject({ status: 200 });
    await open.drain();
    await playPayout(open, payoutId, 'failed');
    await tell(open, payoutId, 'failed');
    await playPayout(open, `${payoutId.replaceAll('-', '')}-1`, 'processed');
    const undecided = { status: 409, code: 'OUTCOME_UNDECIDED' };
    expect(await retryPayout(admin, payoutId)).toMatchObject(undecided);
    expect((await payoutRow(open, payoutId)).status).toBe('FAILED');
    expect(await retryPayout(admin, payoutId)).toMatchObject(forbidden);
    expect(await retryPayout(superAdmin, payoutId, { note })).toMatchObject(undecided);
  });

  it('leaves every other retry to an ADMIN, who may write a note', async ({ open, admin }) => {
    const [plain, noted] = [await failed(open), await failed(open)];
    expect(await retryPayout(admin, plain)).toMatchObject({ status: 200 });
    expect(await retryPayout(admin, noted, { note })).toMatchObject({ status: 200 });
    expect(await retryPayout(admin, noted, { note: 'x'.repeat(2001) })).toMatchObject({
      status: 400,
    });
  });
});
