import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/platform/outcome/outcome.ts';
import { eventually } from '#test/support/eventually.ts';
import { forEver, valueOf } from './adapter-fixture.ts';
import { gatewayDrivers } from './gateway-drivers.ts';
import { startGatewayFixture, type GatewayFixture } from './gateway-fixture.ts';

describe.each(gatewayDrivers)('the gateway $code', (driver) => {
  let fixture: GatewayFixture;
  beforeAll(async () => {
    fixture = await startGatewayFixture(driver);
  });
  beforeEach(() => fixture.reset());
  afterAll(() => fixture.stop());
  const findByReceipt = (): Promise<Outcome<unknown>> =>
    fixture.open().findOrderByReceipt('receipt-1');

  describe('faults', () => {
    const reads: readonly [string, () => Promise<Outcome<unknown>>][] = [
      ['get-order', () => fixture.open().getOrder('order_1')],
      ['list-payments', () => fixture.open().listPayments('order_1')],
      [
        'get-refund',
        () => fixture.open().getRefunds({ gatewayPaymentId: 'p', gatewayOrderId: 'o' }),
      ],
      [
        'get-dispute',
        () => fixture.open().getDisputes({ gatewayPaymentId: 'p', gatewayOrderId: 'o' }),
      ],
    ];

    test.each([
      ['error', {}, false],
      ['error', { status: 503 }, false],
      ['reset', {}, false],
      ['timeout', {}, false],
      ['malformed', {}, true],
      ['accept_then_timeout', {}, true],
    ])(
      'leave a new order undecided after %s %o, and it is not asked for twice',
      async (fault, more, isMade) => {
        const asked = fixture.newOrder();
        await fixture.fault('create-order', fault, more);
        expect(await fixture.gateway.createOrder(asked)).toMatchObject({ kind: 'unknown' });
        expect(await fixture.calls('create-order')).toHaveLength(1);
        const found = valueOf(await fixture.gateway.findOrderByReceipt(asked.receipt));
        expect(found !== undefined).toBe(isMade);
        expect(valueOf(await fixture.gateway.createOrder(asked)).amountPaise).toBe(
          asked.amountPaise,
        );
      },
    );

    test.each(['error', 'reset', 'malformed'])('make every read unknown: %s', async (fault) => {
      await fixture.fault('*', fault, { times: 1000 });
      const answers = await Promise.all([...reads.map(([, ask]) => ask()), findByReceipt()]);
      expect(answers.map(({ kind }) => kind)).toEqual(answers.map(() => 'unknown'));
    });

    test('make a read unknown that is not answered in time', async () => {
      await fixture.fault('*', 'timeout', { times: 1000, delayMs: forEver });
      const answer = await fixture.openImpatient().getOrder('order_1');
      expect(answer).toEqual({ kind: 'unknown', reason: 'TIMED_OUT' });
    });

    test.each([
      [400, 'GATEWAY_REFUSED'],
      [404, 'GATEWAY_NOT_FOUND'],
      [401, 'NOT_AUTHORISED'],
      [429, 'RATE_LIMITED'],
    ])('are refusals where the gateway said no: %i', async (status, code) => {
      await fixture.fault('*', 'error', { status, times: 1000 });
      const answers = [
        await fixture.gateway.createOrder(fixture.newOrder()),
        ...(await Promise.all(reads.map(([, ask]) => ask()))),
        // A 404 is the answer "there is none" if the receipt is the order's id.
        ...(status === 404 ? [] : [await findByReceipt()]),
      ];
      expect(answers.map((answer) => answer.kind === 'refused' && answer.code)).toEqual(
        answers.map(() => code),
      );
    });
  });
});

const withMandates = gatewayDrivers.filter((driver) => 'mandateToken' in driver);

describe.each(withMandates)('the gateway $code', (driver) => {
  let fixture: GatewayFixture;
  beforeAll(async () => {
    fixture = await startGatewayFixture(driver);
  });
  beforeEach(() => fixture.reset());
  afterAll(() => fixture.stop());

  describe('a debit under a mandate', () => {
    test('is made once for its key, and its end comes by itself', async () => {
      const order = await fixture.createMandated('good');
      const first = await fixture.debit(order, 'good', 'debit-1');
      expect(first).toMatchObject({ kind: 'done', value: { gatewayDebitId: expect.any(String) } });
      expect(await fixture.debit(order, 'good', 'debit-1')).toEqual(first);
      await eventually(async () => {
        expect(valueOf(await fixture.gateway.listPayments(order.gatewayOrderId))).toMatchObject([
          { status: 'CAPTURED', amountPaise: order.amountPaise },
        ]);
      });
      expect(await fixture.debit(order, 'good', 'debit-1')).toEqual(first);
      expect(valueOf(await fixture.gateway.listPayments(order.gatewayOrderId))).toHaveLength(1);
      const kinds = (await fixture.sent(order)).map((webhook) => fixture.verify(webhook));
      expect(kinds.length).toBeGreaterThan(0);
      for (const verified of kinds) expect(verified).toMatchObject({ event: { kind: 'captured' } });
    });

    test('fails, or has no outcome, as its mandate has it', async () => {
      const [failing, stuck] = [
        await fixture.createMandated('fail'),
        await fixture.createMandated('stuck'),
      ];
      expect(await fixture.debit(stuck, 'stuck', 'debit-2')).toMatchObject({ kind: 'done' });
      expect(await fixture.debit(failing, 'fail', 'debit-3')).toMatchObject({ kind: 'done' });
      await eventually(async () => {
        expect(valueOf(await fixture.gateway.listPayments(failing.gatewayOrderId))).toMatchObject([
          { status: 'FAILED' },
        ]);
      });
      const payments = valueOf(await fixture.gateway.listPayments(stuck.gatewayOrderId));
      expect(payments.filter(({ status }) => status !== 'PENDING')).toEqual([]);
    });

    test.each(['accept_then_timeout', 'malformed', 'reset', 'error'])(
      'is undecided after %s, and a repeat of its key debits once',
      async (fault) => {
        const order = await fixture.createMandated('good');
        await fixture.fault('debit', fault);
        expect(await fixture.debit(order, 'good', 'debit-4')).toMatchObject({ kind: 'unknown' });
        expect(await fixture.debit(order, 'good', 'debit-4')).toMatchObject({ kind: 'done' });
        await eventually(async () => {
          expect(valueOf(await fixture.gateway.listPayments(order.gatewayOrderId))).toMatchObject([
            { status: 'CAPTURED' },
          ]);
        });
      },
    );

    test('of no order is refused', async () => {
      const nobody = { ...(await fixture.createMandated('good')), gatewayOrderId: 'order_nobody' };
      expect(await fixture.debit(nobody, 'good', 'debit-5')).toMatchObject({ kind: 'refused' });
    });
  });
});
