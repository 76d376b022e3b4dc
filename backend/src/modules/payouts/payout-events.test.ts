import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import { payoutRow } from '#test/support/payout-calls.ts';
import { payoutTest } from '#test/support/payout-test.ts';
import { signatureOf, type OpenPayouts } from '#test/support/open-payouts.ts';
import { accepted, repeated } from '#test/support/webhook-answers.ts';
import { openBody } from '../webhook-inbox/index.ts';

const it = payoutTest();

const minuteMs = 60_000;

type EventName = 'processed' | 'failed' | 'rejected' | 'reversed';

const inboxOf = (open: OpenPayouts, subject: string) =>
  open.system.db.webhookEvent.findMany({
    where: { subject },
    orderBy: [{ receivedAt: 'asc' }, { id: 'asc' }],
  });

let events = 0;

/** Returns an event as the provider sends it. No two events have the same body. */
const eventOf = (
  name: EventName,
  { id, key }: { readonly id: string; readonly key: string },
  more: object = {},
) => {
  events += 1;
  const entity = {
    id,
    entity: 'payout',
    amount: 123_456,
    currency: 'INR',
    status: name,
    reference_id: key,
    utr: name === 'processed' ? '428512345678' : null,
    status_details: { description: 'The bank said so', source: 'bank', reason: 'x' },
    ...more,
  };
  return {
    entity: 'event',
    event: `payout.${name}`,
    contains: ['payout'],
    payload: { payout: { entity } },
    created_at: 1_767_585_600 + events,
  };
};

/** Creates a payout that the provider has accepted, so that it is PROCESSING. */
const createProcessingPayout = async (open: OpenPayouts) => {
  const made = await open.payout();
  await open.drain();
  const { providerPayoutId, status } = await payoutRow(open, made.payoutId);
  expect(status).toBe('PROCESSING');
  return { ...made, id: providerPayoutId ?? '' };
};
type ProcessingPayout = Awaited<ReturnType<typeof createProcessingPayout>>;

/** Returns the provider's id of a payout's bank account. */
const fundAccountOf = async (open: OpenPayouts, bankAccountId: string): Promise<string | null> => {
  const where = { id: bankAccountId };
  return (await open.system.db.bankAccount.findUniqueOrThrow({ where })).providerFundAccountId;
};

/** Pays a payout at the provider without an event, because the tests deliver the events. */
const payWithoutEvent = (open: OpenPayouts, payoutId: string) => {
  const play = { outcome: 'processed', deliver: 'none' };
  return open.system.sandbox.control('POST', `/payouts/${payoutId}`, play);
};

const send = async (
  open: OpenPayouts,
  name: EventName,
  payout: ProcessingPayout,
  more: object = {},
) => {
  if (name === 'processed') await payWithoutEvent(open, payout.payoutId);
  return open.deliver(eventOf(name, payout, more));
};

const stateOf = async (open: OpenPayouts, { payoutId, orderId, userId }: ProcessingPayout) => {
  const { status } = await payoutRow(open, payoutId);
  const told = await open.system.db.notification.findMany({
    where: { userId, type: { startsWith: 'payout' } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  const { status: sell, transitions } = await open.sales.state(orderId);
  return { status, sell, transitions, told: told.map(({ type }) => type) };
};

const paid = {
  status: 'PAID',
  sell: 'COMPLETED',
  transitions: ['CONFIRMED>COMPLETED'],
  told: ['payout_paid'],
};
const notPaid = { sell: 'CONFIRMED', transitions: [], told: ['payout_failed'] };
const cameBack = {
  status: 'REVERSED',
  sell: 'CONFIRMED',
  transitions: ['CONFIRMED>COMPLETED', 'COMPLETED>CONFIRMED'],
  told: ['payout_paid', 'payout_failed'],
};

describe('an event of a payout', () => {
  it('makes the payout PAID with the reference of the bank, and completes the sale', async ({
    open,
  }) => {
    const payout = await createProcessingPayout(open);
    expect(await send(open, 'processed', payout)).toMatchObject(accepted);
    expect(await stateOf(open, payout)).toEqual(paid);
    expect(await payoutRow(open, payout.payoutId)).toMatchObject({
      utr: '428512345678',
      paidAt: open.system.clock.now(),
    });
  });

  it.for(['failed', 'rejected'] as const)(
    '%s makes the payout FAILED with the reason',
    async (name, { open }) => {
      const payout = await createProcessingPayout(open);
      await send(open, name, payout);
      expect(await stateOf(open, payout)).toEqual({ status: 'FAILED', ...notPaid });
      expect((await payoutRow(open, payout.payoutId)).failureReason).toBe('The bank said so');
    },
  );

  it('reversed after processed makes the sale CONFIRMED again', async ({ open }) => {
    const payout = await createProcessingPayout(open);
    await send(open, 'processed', payout);
    await send(open, 'reversed', payout);
    expect(await stateOf(open, payout)).toEqual(cameBack);
    expect((await payoutRow(open, payout.payoutId)).paidAt).toBeNull();
  });

  it('processed after reversed is ignored, because reversed is final for the attempt', async ({
    open,
  }) => {
    const payout = await createProcessingPayout(open);
    await send(open, 'reversed', payout);
    open.system.clock.advance(1);
    expect(await send(open, 'processed', payout)).toMatchObject(accepted);
    expect(await stateOf(open, payout)).toEqual({ status: 'REVERSED', ...notPaid });
    const inbox = await inboxOf(open, payout.id);
    expect(inbox.map(({ status }) => status)).toEqual(['APPLIED', 'IGNORED']);
  });

  it('that contradicts an earlier report changes nothing, and is logged', async ({ open }) => {
    const [failed, done] = [await createProcessingPayout(open), await createProcessingPayout(open)];
    const countContradictions = () =>
      open.system.logged().split('the payout provider contradicts itself').length - 1;
    const before = countContradictions();
    await send(open, 'failed', failed);
    await send(open, 'processed', failed);
    expect(await stateOf(open, failed)).toEqual({ status: 'FAILED', ...notPaid });
    await send(open, 'processed', done);
    await send(open, 'failed', done);
    expect(await stateOf(open, done)).toEqual(paid);
    expect(countContradictions()).toBe(before + 2);
  });

  it('is matched by its reference when it arrives before the answer to the dispatch', async ({
    open,
  }) => {
    const made = await open.payout();
    await open.fault('create-payout', 'accept_then_timeout');
    await open.fault('list-payouts', 'error', { times: 5 });
    await open.drain();
    expect((await payoutRow(open, made.payoutId)).providerPayoutId).toBeNull();
    await payWithoutEvent(open, made.payoutId);
    await open.deliver(eventOf('processed', { id: 'pout_early', key: made.key }));
    expect(await payoutRow(open, made.payoutId)).toMatchObject({
      status: 'PAID',
      providerPayoutId: 'pout_early',
    });
    await open.system.sandbox.control('DELETE', '/faults');
  });

  it('may arrive before the answer to the dispatch, which then changes nothing', async ({
    open,
  }) => {
    const made = await open.payout();
    const overtaken = open.replica((real) => ({
      ...real,
      async createPayout(request) {
        const outcome = await real.createPayout(request);
        const id = outcome.kind === 'done' ? outcome.value.providerPayoutId : '';
        await payWithoutEvent(open, made.payoutId);
        await open.deliver(eventOf('processed', { id, key: made.key }));
        return outcome;
      },
    }));
    expect(await open.drain(overtaken)).toEqual([]);
    const { providerPayoutId } = await payoutRow(open, made.payoutId);
    expect(await stateOf(open, { ...made, id: providerPayoutId ?? '' })).toEqual(paid);
  });

  it('is identified by payout and status, whatever its body and id', async ({ open }) => {
    const payout = await createProcessingPayout(open);
    expect(await send(open, 'processed', payout)).toMatchObject(accepted);
    expect(await send(open, 'processed', payout, { notes: { x: 1 } })).toMatchObject(repeated);
    await send(open, 'reversed', payout);
    expect(await send(open, 'processed', payout, { notes: { x: 2 } })).toMatchObject(repeated);
    expect(await inboxOf(open, payout.id)).toHaveLength(2);
  });

  it('has one effect when it arrives 20 times at once', async ({ open }) => {
    const payout = await createProcessingPayout(open);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => send(open, 'processed', payout, { notes: { at } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.filter(({ body }) => body['duplicate'] === undefined)).toHaveLength(1);
    expect(await stateOf(open, payout)).toEqual(paid);
  });

  it('may arrive in any order, and in parallel', async ({ open }) => {
    const names: EventName[] = ['processed', 'reversed', 'processed', 'reversed'];
    const fullLength = { minLength: names.length, maxLength: names.length };
    const order = fc.shuffledSubarray([...names.keys()], fullLength);
    await fc.assert(
      fc.asyncProperty(order, fc.boolean(), async (positions, isParallel) => {
        const payout = await createProcessingPayout(open);
        const sends = positions.map((at) => () => send(open, names[at] ?? 'processed', payout));
        if (isParallel) await Promise.all(sends.map((post) => post()));
        else for (const post of sends) await post();
        const state = await stateOf(open, payout);
        expect([cameBack, { status: 'REVERSED', ...notPaid }]).toContainEqual(state);
      }),
      { numRuns: 12 },
    );
  });
});

describe('an event that cannot be applied now', () => {
  it('is kept, and is applied once by its job', async ({ open }) => {
    const payout = await createProcessingPayout(open);
    const mend = await open.breakSale(payout.orderId);
    expect(await send(open, 'processed', payout)).toMatchObject(accepted);
    expect((await payoutRow(open, payout.payoutId)).status).toBe('PROCESSING');
    expect(await inboxOf(open, payout.id)).toMatchObject([{ status: 'PENDING', attempts: 1 }]);
    await mend();
    expect(await open.drain()).toEqual([]);
    expect(await stateOf(open, payout)).toEqual(paid);
    expect(await inboxOf(open, payout.id)).toMatchObject([{ status: 'APPLIED' }]);
  });

  it('is applied by the sweep when its job is lost', async ({ open }) => {
    const payout = await createProcessingPayout(open);
    const mend = await open.breakSale(payout.orderId);
    await send(open, 'processed', payout);
    await mend();
    await open.system.db.$executeRaw`DELETE FROM graphile_worker._private_jobs`;
    open.system.clock.advance(minuteMs);
    await open.runSweeps('payouts-apply-due-events');
    expect(await stateOf(open, payout)).toEqual(paid);
  });

  it('stays PENDING in the inbox when its amount or its payout is wrong', async ({ open }) => {
    const [other, twice] = [await createProcessingPayout(open), await createProcessingPayout(open)];
    await send(open, 'processed', other, { amount: 999 });
    expect((await payoutRow(open, other.payoutId)).status).toBe('PROCESSING');
    expect(await inboxOf(open, other.id)).toMatchObject([{ status: 'PENDING' }]);
    await open.deliver(eventOf('processed', { id: 'pout_second', key: twice.key }));
    expect((await payoutRow(open, twice.payoutId)).status).toBe('PROCESSING');
    expect(await inboxOf(open, 'pout_second')).toMatchObject([{ status: 'PENDING' }]);
  });
});

describe('an event that names a fund account', () => {
  it('is applied if the fund account is that of the payout', async ({ open }) => {
    const payout = await createProcessingPayout(open);
    const fundAccountId = await fundAccountOf(open, payout.bankAccountId);
    expect(fundAccountId).toMatch(/^fa_/u);
    await send(open, 'processed', payout, { fund_account_id: fundAccountId });
    expect(await stateOf(open, payout)).toEqual(paid);
  });

  it.for(['processed', 'failed', 'reversed'] as const)(
    'other than that of the payout stays PENDING, and changes nothing: %s',
    async (name, { open }) => {
      const payout = await createProcessingPayout(open);
      expect(await send(open, name, payout, { fund_account_id: 'fa_elsewhere' })).toMatchObject(
        accepted,
      );
      expect((await payoutRow(open, payout.payoutId)).status).toBe('PROCESSING');
      expect(await inboxOf(open, payout.id)).toMatchObject([{ status: 'PENDING', attempts: 1 }]);
    },
  );
});

describe('the webhook of the payout provider', () => {
  it('keeps events that match nothing, and bodies that it cannot read', async ({ open }) => {
    const unknown = eventOf('processed', { id: 'pout_nobody', key: 'nobody-1' });
    expect(await open.deliver(unknown)).toMatchObject(accepted);
    expect(await inboxOf(open, 'pout_nobody')).toMatchObject([
      { status: 'UNMATCHED', sealedForUserId: null },
    ]);
    expect(await open.deliver('{"event":"payout.processed"}')).toMatchObject(accepted);
    expect(await open.system.db.webhookEvent.count({ where: { status: 'UNREADABLE' } })).toBe(1);
    expect(await open.deliver('{"event":"payout.queued"}')).toMatchObject(accepted);
    expect(await open.system.db.webhookEvent.count({ where: { eventType: 'payout.queued' } })).toBe(
      1,
    );
  });

  it('refuses a missing body, no signature and a wrong one', async ({ open }) => {
    const payout = await createProcessingPayout(open);
    const body = JSON.stringify(eventOf('processed', payout));
    const refused = { status: 401, code: 'INVALID_SIGNATURE' };
    expect(await open.deliver('', { 'x-gateway-signature': signatureOf('') })).toMatchObject(
      refused,
    );
    expect(await open.deliver(body, {})).toMatchObject(refused);
    const wrong = { 'x-gateway-signature': signatureOf(`${body} `) };
    expect(await open.deliver(body, wrong)).toMatchObject(refused);
    expect(await inboxOf(open, payout.id)).toEqual([]);
    await payWithoutEvent(open, payout.payoutId);
    const own = { 'x-razorpay-signature': signatureOf(body) };
    expect(await open.deliver(body, own)).toMatchObject(accepted);
  });

  it('keeps the raw body sealed with the key of the customer', async ({ open }) => {
    const payout = await createProcessingPayout(open);
    const body = JSON.stringify(eventOf('processed', payout));
    await payWithoutEvent(open, payout.payoutId);
    await open.deliver(body);
    const [kept] = await inboxOf(open, payout.id);
    expect(kept).toMatchObject({ sealedForUserId: payout.userId, purgeAfter: null });
    const { id = '', sealedBody, sealedForUserId = null } = kept ?? {};
    const stored = { id, sealedBody: sealedBody ?? '', sealedForUserId };
    const { rawBody } = await openBody(open.system.vault, open.system.db, stored);
    expect(rawBody.toString()).toBe(body);
  });

  it('clears bodies that belong to no customer after 30 days', async ({ open }) => {
    await open.deliver(eventOf('failed', { id: 'pout_purge', key: 'purge-1' }));
    open.system.clock.advance(31 * 24 * 60 * minuteMs);
    await open.runSweeps('payouts-purge-bodies');
    expect(await inboxOf(open, 'pout_purge')).toMatchObject([{ sealedBody: null }]);
  });
});
