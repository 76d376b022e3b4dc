import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/platform/outcome/outcome.ts';
import { eventually } from '#test/support/eventually.ts';
import { valueOf } from './adapter-kit.ts';
import { gatewayDrivers } from './gateway-drivers.ts';
import { startGatewayKit, type GatewayKit } from './gateway-kit.ts';

describe.each(gatewayDrivers)('the gateway $code', (driver) => {
  let kit: GatewayKit;
  beforeAll(async () => {
    kit = await startGatewayKit(driver);
  });
  beforeEach(() => kit.reset());
  afterAll(() => kit.stop());
  const findByReceipt = (): Promise<Outcome<unknown>> => kit.open().findOrderByReceipt('receipt-1');

  describe('faults', () => {
    const reads: readonly [string, () => Promise<Outcome<unknown>>][] = [
      ['get-order', () => kit.open().getOrder('order_1')],
      ['list-payments', () => kit.open().listPayments('order_1')],
      ['get-refund', () => kit.open().getRefunds({ gatewayPaymentId: 'p', gatewayOrderId: 'o' })],
      ['get-dispute', () => kit.open().getDisputes({ gatewayPaymentId: 'p', gatewayOrderId: 'o' })],
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
        const asked = kit.newOrder();
        await kit.fault('create-order', fault, more);
        const by = fault.endsWith('timeout') ? kit.openImpatient() : kit.gateway;
        expect(await by.createOrder(asked)).toMatchObject({ kind: 'unknown' });
        expect(await kit.calls('create-order')).toHaveLength(1);
        const found = valueOf(await kit.gateway.findOrderByReceipt(asked.receipt));
        expect(found !== undefined).toBe(isMade);
        expect(valueOf(await kit.gateway.createOrder(asked)).amountPaise).toBe(asked.amountPaise);
      },
    );

    test.each(['error', 'reset', 'malformed'])('make every read unknown: %s', async (fault) => {
      await kit.fault('*', fault, { times: 1000 });
      const answers = await Promise.all([...reads.map(([, ask]) => ask()), findByReceipt()]);
      expect(answers.map(({ kind }) => kind)).toEqual(answers.map(() => 'unknown'));
    });

    test('make a read unknown: timeout', async () => {
      await kit.fault('*', 'timeout', { times: 1000 });
      expect(await kit.openImpatient().getOrder('order_1')).toMatchObject({ kind: 'unknown' });
    });

    test.each([
      [400, 'GATEWAY_REFUSED'],
      [404, 'GATEWAY_NOT_FOUND'],
      [401, 'NOT_AUTHORISED'],
      [429, 'RATE_LIMITED'],
    ])('are refusals where the gateway said no: %i', async (status, code) => {
      await kit.fault('*', 'error', { status, times: 1000 });
      const answers = [
        await kit.gateway.createOrder(kit.newOrder()),
        ...(await Promise.all(reads.map(([, ask]) => ask()))),
        // A 404 is the answer "there is none" where the receipt is the order's id.
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
  let kit: GatewayKit;
  beforeAll(async () => {
    kit = await startGatewayKit(driver);
  });
  beforeEach(() => kit.reset());
  afterAll(() => kit.stop());

  describe('a debit under a mandate', () => {
    test('is made once for its key, and its end comes by itself', async () => {
      const order = await kit.createMandated('good');
      const first = await kit.debit(order, 'good', 'debit-1');
      expect(first).toMatchObject({ kind: 'done', value: { gatewayDebitId: expect.any(String) } });
      expect(await kit.debit(order, 'good', 'debit-1')).toEqual(first);
      await eventually(async () => {
        expect(valueOf(await kit.gateway.listPayments(order.gatewayOrderId))).toMatchObject([
          { status: 'CAPTURED', amountPaise: order.amountPaise },
        ]);
      });
      expect(await kit.debit(order, 'good', 'debit-1')).toEqual(first);
      expect(valueOf(await kit.gateway.listPayments(order.gatewayOrderId))).toHaveLength(1);
      const kinds = (await kit.sent(order)).map((webhook) => kit.verify(webhook));
      expect(kinds.length).toBeGreaterThan(0);
      for (const told of kinds) expect(told).toMatchObject({ event: { kind: 'captured' } });
    });

    test('fails, or has no outcome, as its mandate has it', async () => {
      const [failing, stuck] = [
        await kit.createMandated('fail'),
        await kit.createMandated('stuck'),
      ];
      expect(await kit.debit(stuck, 'stuck', 'debit-2')).toMatchObject({ kind: 'done' });
      expect(await kit.debit(failing, 'fail', 'debit-3')).toMatchObject({ kind: 'done' });
      await eventually(async () => {
        expect(valueOf(await kit.gateway.listPayments(failing.gatewayOrderId))).toMatchObject([
          { status: 'FAILED' },
        ]);
      });
      const payments = valueOf(await kit.gateway.listPayments(stuck.gatewayOrderId));
      expect(payments.filter(({ status }) => status !== 'PENDING')).toEqual([]);
    });

    test.each(['accept_then_timeout', 'malformed', 'reset', 'error'])(
      'is undecided after %s, and a repeat of its key debits once',
      async (fault) => {
        const order = await kit.createMandated('good');
        await kit.fault('debit', fault);
        const by = fault.endsWith('timeout') ? kit.openImpatient() : kit.gateway;
        expect(await kit.debit(order, 'good', 'debit-4', by)).toMatchObject({ kind: 'unknown' });
        expect(await kit.debit(order, 'good', 'debit-4')).toMatchObject({ kind: 'done' });
        await eventually(async () => {
          expect(valueOf(await kit.gateway.listPayments(order.gatewayOrderId))).toMatchObject([
            { status: 'CAPTURED' },
          ]);
        });
      },
    );

    test('of no order is refused', async () => {
      const nobody = { ...(await kit.createMandated('good')), gatewayOrderId: 'order_nobody' };
      expect(await kit.debit(nobody, 'good', 'debit-5')).toMatchObject({ kind: 'refused' });
    });
  });
});
