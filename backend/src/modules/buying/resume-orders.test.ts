import { expect } from 'vitest';
import {
  captureUnheard,
  deliver,
  openCheckout,
  signedEvent,
  stateOf,
} from '#test/support/checkouts.ts';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { breakOrdersFor, installOrderBreaker } from '#test/support/order-breaker.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';

const it = goldTest();

it.beforeAll(({ open }) => installOrderBreaker(open.migrateUrl));

/** Creates a paid order whose job was lost. */
const placeWithLostJob = async (open: OpenGold): Promise<string> => {
  const checkout = await openCheckout(open);
  const paymentId = await captureUnheard(open, checkout);
  await deliver(open, signedEvent('payment.captured', checkout.gatewayOrderId, paymentId));
  await open.database.db.$executeRaw`DELETE FROM graphile_worker._private_jobs`;
  return checkout.orderId;
};

const resume = (open: OpenGold, signal?: AbortSignal): Promise<void> =>
  runSweeps(open.gold.sweeps, 'buying-resume-paid-orders', signal);

const allocationsOf = async (open: OpenGold, orderIds: readonly string[]): Promise<number[]> => {
  const states = await Promise.all(orderIds.map((id) => stateOf(open, id)));
  return states.map(({ allocations }) => allocations);
};

it('the sweep resumes the other orders if one order cannot be resumed', async ({ open }) => {
  const lost = [await placeWithLostJob(open), await placeWithLostJob(open)];
  await open.advance(61);
  await breakOrdersFor(open.migrateUrl, 1);
  await resume(open);
  expect(new Set(await allocationsOf(open, lost))).toEqual(new Set([0, 1]));
  await resume(open);
  expect(await allocationsOf(open, lost)).toEqual([1, 1]);
});

it('the sweep resumes no order after it has to stop', async ({ open }) => {
  const lost = await placeWithLostJob(open);
  await open.advance(61);
  await resume(open, AbortSignal.abort());
  expect(await allocationsOf(open, [lost])).toEqual([0]);
});
