import { describe, expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { eventually } from '#test/support/eventually.ts';
import { createReviewedBuys, operatorId } from '#test/support/reviewed-buys.ts';
import { createSellers } from '#test/support/sellers.ts';
import { createSeveralGateways } from '#test/support/several-gateways.ts';

interface Entry {
  readonly at: string;
  readonly kind: string;
  readonly actor?: string;
  readonly summary: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const email = 'reviewer@example.test';
const gateways = createSeveralGateways(['first', 'sandbox']);
const it = goldTest({ wrap: { gateways: gateways.wrapGateways } }).extend(
  'buys',
  { scope: 'file' },
  ({ open }) => createReviewedBuys(open),
);
it.beforeAll(async ({ open }) => {
  const at = open.clock.now();
  await open.database.db.gatewayRouting.update({
    where: { id: 1 },
    data: { defaultCode: 'sandbox', priority: ['first', 'sandbox'] },
  });
  await open.database.db.adminUser.create({
    data: {
      id: operatorId,
      email,
      passwordHash: '-',
      role: 'SUPER_ADMIN',
      createdAt: at,
      updatedAt: at,
    },
  });
});
it.beforeEach(() => {
  // Its customers pay at the second gateway, whose webhooks the sandbox delivers.
  gateways.faults.set('first', 'refused');
});
it.afterEach(() => gateways.faults.clear());

const timelineOf = async (open: OpenGold, orderId: string): Promise<Entry[]> => {
  const { status, body } = await open.as(operatorId)('GET', `/orders/${orderId}/timeline`);
  expect(status).toBe(200);
  return body.items;
};

const summariesOf = (entries: readonly Entry[]): string[] =>
  entries.map(({ kind, summary }) => `${kind}: ${summary}`);

const withoutNumbers = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replaceAll(/\d+\.\d{4} g/gu, 'N g'));

describe('the timeline of an order', () => {
  it('shows a buy from its quote to its gold, including a gateway that refused', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await buys.allocated();
    const entries = await eventually(async () => {
      const sofar = await timelineOf(open, buy.id);
      expect(sofar.filter(({ data }) => data['step'] === 'applied')).toHaveLength(2);
      return sofar;
    });
    // Webhooks arrive in any sequence. The first report of the capture changes the order to PAID.
    const cause = entries.find(({ kind, data }) => kind === 'transition' && data['to'] === 'PAID')
      ?.data['cause'];
    expect(['payment.captured', 'order.paid']).toContain(cause);
    expect(withoutNumbers(summariesOf(entries)).toSorted()).toEqual(
      [
        'gateway_call: first, create-order: REFUSED',
        'gateway_call: sandbox, create-order: DONE',
        'job: Job gold.allocate is queued',
        'movement: CREDIT of N g',
        'payment: Payment of INR 1000.00 requested',
        'payment: Payment of INR 1000.00 reported by sandbox: CAPTURED',
        'payment_transition: Payment order: CREATED to GATEWAY_ORDER_CREATED',
        'payment_transition: Payment order: GATEWAY_ORDER_CREATED to PAID',
        'provider_call: Gold provider, buy-confirm: DONE',
        'provider_call: Gold provider, buy-verify: DONE',
        'quote: Buy quote of N g',
        'transition: Created as PENDING',
        'transition: PAID to ALLOCATED (provider.bought)',
        `transition: PENDING to PAID (${String(cause)})`,
        'webhook: order.paid from sandbox applied',
        'webhook: order.paid from sandbox received',
        'webhook: payment.captured from sandbox applied',
        'webhook: payment.captured from sandbox received',
      ].toSorted(),
    );
    expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted());
    expect(entries).toContainEqual(
      expect.objectContaining({
        kind: 'provider_call',
        data: expect.objectContaining({
          operation: 'buy-confirm',
          providerTxId: buy.txId,
          grams: buy.grams,
          durationMs: expect.any(Number),
          attempts: 1,
          try: 1,
        }),
      }),
    );
    expect(entries).toContainEqual(
      expect.objectContaining({
        kind: 'payment',
        data: expect.objectContaining({ gatewayPaymentId: paymentId, amountPaise: 100_000 }),
      }),
    );
    const { body } = await open.as(operatorId)('GET', `/orders/${buy.id}`);
    expect(body.payments).toMatchObject([
      {
        gateway: 'sandbox',
        attempts: [
          { gateway: 'first', status: 'REFUSED', gateway_order_id: null },
          { gateway: 'sandbox', status: 'DONE', gateway_order_id: buy.gatewayOrderId },
        ],
      },
    ]);
  });

  it('shows the job of the next attempt, and every try with its time', async ({ open, buys }) => {
    const buy = await buys.place();
    await buys.pay(buy);
    await buys.becomes(buy, 'PAID');
    await open.fault('buy-confirm', 'error', { times: 5 });
    await open.allocate(buy.id);
    const entries = await timelineOf(open, buy.id);
    expect(entries.filter(({ kind }) => kind === 'job')).toMatchObject([
      { summary: 'Job gold.allocate is queued' },
      { summary: 'Job gold.allocate is scheduled' },
    ]);
    expect(entries.at(-1)?.kind).toBe('job');
    expect(summariesOf(entries)).toContain('provider_call: Gold provider, buy-confirm: UNKNOWN');
    expect(withoutNumbers(summariesOf(entries))).toContain(
      'transition: PAID to RETRY_PENDING (allocation.failed)',
    );
    await open.sandbox.control('DELETE', '/faults');
    await open.advance(5);
    await open.allocate(buy.id);
    const calls = (await timelineOf(open, buy.id)).filter(
      ({ data }) => data['operation'] === 'buy-confirm',
    );
    expect(calls).toMatchObject([
      { data: { try: 1, outcome: 'UNKNOWN', durationMs: expect.any(Number) } },
      { data: { try: 2, outcome: 'DONE', durationMs: expect.any(Number) } },
    ]);
    const [first, second] = calls.map(({ at }) => Date.parse(at));
    expect((second ?? 0) - (first ?? 0)).toBe(5000);
    const lines = summariesOf(await timelineOf(open, buy.id));
    expect(lines.indexOf('transition: PAID to RETRY_PENDING (allocation.failed)')).toBeLessThan(
      lines.indexOf('provider_call: Gold provider, buy-confirm, try 2: DONE'),
    );
  });

  it("shows a reversal, its reservation and the operator's resolution", async ({ open, buys }) => {
    const { buy, paymentId } = await buys.allocated();
    const reference = await buys.payBack(paymentId);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    const resolved = await buys.resolve(buy.id, 'RECOVER', { reference });
    expect(resolved.status).toBe(200);
    const entries = await timelineOf(open, buy.id);
    const lines = withoutNumbers(summariesOf(entries));
    expect(lines).toEqual(
      expect.arrayContaining([
        'webhook: refund.processed from sandbox applied',
        'payment: Refund of INR 1000.00, resolved',
        'reservation: Reserved N g',
        'reservation: Released N g',
        'movement: RECOVERED of -N g',
        'resolution: RECOVER: MANUAL_REVIEW to FAILED (resolve.recover)',
      ]),
    );
    expect(entries.find(({ kind }) => kind === 'resolution')).toMatchObject({
      actor: email,
      data: { resolution: 'RECOVER', reference },
    });
    // The operator's note is only in the audit log.
    expect(JSON.stringify(entries)).not.toContain('looked into');
  });

  it('shows a sale with the grams that it reserves, and no entries of other orders', async ({
    open,
  }) => {
    const sellers = createSellers(open);
    const seller = await sellers.newSeller();
    const { body } = await sellers.sell(seller, '0.0100');
    const entries = await timelineOf(open, body.order.id);
    expect(entries.at(-1)?.summary).toBe('Job payouts.dispatch is queued');
    expect(withoutNumbers(summariesOf(entries))).toEqual(
      expect.arrayContaining([
        'quote: Sell quote of N g',
        'reservation: Reserved N g',
        'provider_call: Gold provider, sell-verify: DONE',
        'provider_call: Gold provider, sell-confirm: DONE',
        'transition: VERIFIED to CONFIRMED (provider.sold)',
        'reservation: Released N g',
        'movement: DEBIT of -N g',
        expect.stringMatching(/^payout_attempt: Payout of INR \d+\.\d\d$/u),
      ]),
    );
    expect(entries.filter(({ kind }) => kind === 'movement')).toHaveLength(1);
    const failed = await sellers.newSeller();
    await open.fault('sell-verify', 'error', { times: 1, status: 400 });
    await sellers.sell(failed, '0.0100');
    const [order] = await sellers.salesOf(failed.id);
    const steps = (await timelineOf(open, order?.id ?? '')).filter(
      ({ kind }) => kind === 'reservation',
    );
    expect(steps.map(({ data }) => data['step'])).toEqual(['reserved', 'released']);
  });

  it('is 404 for an unknown order, and 401 without a credential', async ({ open }) => {
    const path = `/orders/${operatorId}/timeline`;
    expect((await open.as(operatorId)('GET', path)).status).toBe(404);
    expect((await open.as()('GET', path)).status).toBe(401);
    expect((await open.as(operatorId)('GET', '/orders/1/timeline')).status).toBe(404);
  });
});
