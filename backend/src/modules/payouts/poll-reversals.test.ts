import { expect } from 'vitest';
import { attemptsOf, payoutRow, playPayout, retryPayout } from '#test/support/payout-calls.ts';
import { payoutTest } from '#test/support/payout-test.ts';
import type { OpenPayouts } from '#test/support/open-payouts.ts';

const it = payoutTest();

const hourMs = 3_600_000;
const poll = (open: OpenPayouts) => open.runSweeps('payouts-poll-reversals');
const countQueries = async (open: OpenPayouts) => (await open.journal('get-payout')).length;
const advance = (open: OpenPayouts, ms: number) => open.system.clock.advance(ms);

/** Creates a PAID payout. */
const createPaidPayout = async (open: OpenPayouts) => {
  const made = await open.payout();
  await open.drain();
  await playPayout(open, made.payoutId, 'processed');
  advance(open, 61_000);
  await open.runSweeps('payouts-poll-attempts');
  expect((await payoutRow(open, made.payoutId)).status).toBe('PAID');
  return made;
};

it('a payout that the bank returned is found by a query if its event is lost', async ({ open }) => {
  const { payoutId, orderId } = await createPaidPayout(open);
  expect((await open.sales.state(orderId)).status).toBe('COMPLETED');
  await playPayout(open, payoutId, 'reversed');
  await poll(open);
  expect((await payoutRow(open, payoutId)).status).toBe('PAID');
  advance(open, hourMs);
  await poll(open);
  expect(await payoutRow(open, payoutId)).toMatchObject({ status: 'REVERSED', paidAt: null });
  expect((await open.sales.state(orderId)).status).toBe('CONFIRMED');
  const { call } = await open.operator('ADMIN');
  expect(await retryPayout(call, payoutId)).toMatchObject({ status: 200 });
  await open.drain();
  expect((await attemptsOf(open, payoutId)).map(({ status }) => status)).toEqual([
    'REVERSED',
    'PROCESSING',
  ]);
});

it('a paid payout is queried once an hour for three days, then once a day for 60 days', async ({
  open,
}) => {
  const { payoutId } = await createPaidPayout(open);
  const countQueriesAfter = async (ms: number): Promise<number> => {
    advance(open, ms);
    const before = await countQueries(open);
    await Promise.all([poll(open), poll(open)]);
    return (await countQueries(open)) - before;
  };
  expect(await countQueriesAfter(hourMs)).toBe(1);
  expect(await countQueriesAfter(hourMs / 2)).toBe(0);
  expect(await countQueriesAfter(hourMs / 2)).toBe(1);
  expect(await countQueriesAfter(71 * hourMs)).toBe(1);
  expect(await countQueriesAfter(23 * hourMs)).toBe(0);
  expect(await countQueriesAfter(hourMs)).toBe(1);
  expect(await countQueriesAfter(56 * 24 * hourMs)).toBe(1);
  expect(await countQueriesAfter(100 * 24 * hourMs)).toBe(0);
  expect((await payoutRow(open, payoutId)).status).toBe('PAID');
});

it('a payout that an earlier build paid is queried at once', async ({ open }) => {
  const { payoutId } = await createPaidPayout(open);
  await playPayout(open, payoutId, 'reversed');
  // The earlier build does not write the column, which then has its default.
  await open.system.db.$executeRaw`
    UPDATE payout_attempt SET next_reversal_poll_at = DEFAULT WHERE payout_id = ${payoutId}::uuid`;
  advance(open, hourMs / 2);
  await poll(open);
  expect((await payoutRow(open, payoutId)).status).toBe('REVERSED');
});

it('a paid payout stays PAID while the provider gives no answer, and is queried again', async ({
  open,
}) => {
  const { payoutId } = await createPaidPayout(open);
  await playPayout(open, payoutId, 'reversed');
  advance(open, hourMs);
  await open.fault('get-payout', 'error', { times: 10 });
  await poll(open);
  expect((await payoutRow(open, payoutId)).status).toBe('PAID');
  await open.system.sandbox.control('DELETE', '/faults');
  advance(open, hourMs);
  await poll(open);
  expect((await payoutRow(open, payoutId)).status).toBe('REVERSED');
});
