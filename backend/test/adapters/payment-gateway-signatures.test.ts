import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { valueOf } from './adapter-fixture.ts';
import { gatewayDrivers } from './gateway-drivers.ts';
import {
  amountPaise,
  startGatewayFixture,
  type GatewayFixture,
  type Played,
} from './gateway-fixture.ts';

const newSecret = 'dev-only-new-secret-of-the-contract-test';

describe.each(gatewayDrivers)('the gateway $code', (driver) => {
  let fixture: GatewayFixture;
  beforeAll(async () => {
    fixture = await startGatewayFixture(driver);
  });
  beforeEach(() => fixture.reset());
  afterAll(() => fixture.stop());

  describe('a checkout', () => {
    test('is taken as genuine, and no other is', async () => {
      const [order, other] = [await fixture.create(), await fixture.create()];
      const payment = await fixture.pay(order);
      const proof = {
        gatewayOrderId: order.gatewayOrderId,
        gatewayPaymentId: payment.gateway_payment_id,
        signature: payment.signature,
      };
      expect(valueOf(await fixture.gateway.verifyCheckout(proof))).toBe(true);
      const forged = [
        '',
        proof.signature.slice(0, -1),
        `${proof.signature}00`,
        proof.signature.toUpperCase(),
      ].map((signature) => ({ ...proof, signature }));
      const wrong = [
        { ...proof, gatewayPaymentId: 'pay_nobody' },
        { ...proof, gatewayOrderId: other.gatewayOrderId },
        ...(driver.signsCheckout ? forged : []),
      ];
      for (const one of wrong)
        expect(valueOf(await fixture.gateway.verifyCheckout(one))).toBe(false);
    });
  });

  describe('a webhook', () => {
    test('of a captured payment says so, in each of its events', async () => {
      const { order, payment, all } = await fixture.capture({ method: 'netbanking' });
      for (const webhook of all) {
        expect(fixture.verify(webhook)).toEqual({
          valid: true,
          eventId: expect.stringMatching(/./),
          event: {
            kind: 'captured',
            name: expect.stringMatching(/^[\w.-]{1,64}$/),
            gatewayOrderId: order.gatewayOrderId,
            gatewayPaymentId: payment.gateway_payment_id,
            amountPaise: order.amountPaise,
            currency: 'INR',
            method: 'netbanking',
            occurredAt: expect.any(Date),
          },
        });
      }
    });

    test('of a failed payment says so', async () => {
      const { payment, all } = await fixture.capture({ outcome: 'failed' });
      expect(all.map((webhook) => fixture.verify(webhook))).toMatchObject([
        { valid: true, event: { kind: 'failed', gatewayPaymentId: payment.gateway_payment_id } },
      ]);
    });

    test.each([
      ['refunds', 'refunded'],
      ['disputes', 'dispute_lost'],
    ] as const)('of %s says what went away: %s', async (path, kind) => {
      const order = await fixture.create();
      const payment = await fixture.pay(order);
      const { reference } = await fixture.reverse(path, payment, 700);
      expect((await fixture.sent(order)).map((webhook) => fixture.verify(webhook))).toMatchObject([
        {
          valid: true,
          event: {
            kind,
            gatewayPaymentId: payment.gateway_payment_id,
            reference,
            amountPaise: 700n,
            occurredAt: expect.any(Date),
          },
        },
      ]);
    });

    test('of anything else is read and has no consequence', async () => {
      const { first } = await fixture.capture();
      const other = fixture.signed(driver.withoutConsequence(first.body));
      expect(fixture.verify(other)).toMatchObject({ valid: true, event: { kind: 'other' } });
    });

    test('sent twice has the same bytes and the same event id', async () => {
      const { all } = await fixture.capture({ deliver: 'duplicate' });
      const ids = all.map((webhook) => {
        const read = fixture.verify(webhook);
        return read.valid ? read.eventId : undefined;
      });
      expect(new Set(ids).size).toBe(all.length / 2);
      expect(new Set(all.map(({ body }) => body)).size).toBe(all.length / 2);
    });

    test('that comes late or out of order reads the same, with its own time', async () => {
      const before = Date.now();
      const { order, payment, all } = await fixture.capture();
      const late = await fixture.pay(order, { deliver: 'delayed', delayMs: 20 });
      await fixture.control('POST', '/clock', { advanceSeconds: 86_400 });
      const reordered = await fixture.pay(order, { deliver: 'reordered' });
      await eventually(async () => expect(await fixture.sent(order)).toHaveLength(all.length * 3));
      const events = (await fixture.sent(order)).map((webhook) => {
        const read = fixture.verify(webhook);
        if (!read.valid || !('occurredAt' in read.event)) throw new Error('a webhook was refused');
        return read.event;
      });
      expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(['captured']));
      const secondsOf = (played: Played) =>
        events
          .filter((event) => event.gatewayPaymentId === played.gateway_payment_id)
          .map(({ occurredAt }) => (occurredAt.getTime() - before) / 1000);
      for (const played of [payment, late]) {
        for (const seconds of secondsOf(played)) expect(seconds).toBeLessThan(3600);
      }
      for (const seconds of secondsOf(reordered)) expect(seconds).toBeGreaterThan(80_000);
    });

    test('is taken under each secret in force, and under none that was removed', async () => {
      const { first } = await fixture.capture();
      const both = fixture.open({ [driver.secretsVariable]: `${newSecret},${driver.secret}` });
      expect(fixture.verify(first, both).valid).toBe(true);
      expect(fixture.verify(fixture.signed(first.body, newSecret), both).valid).toBe(true);
      const rotated = fixture.open({ [driver.secretsVariable]: newSecret });
      expect(fixture.verify(first, rotated).valid).toBe(false);
      expect(fixture.verify(fixture.signed(first.body, newSecret), rotated).valid).toBe(true);
    });

    test('with another signature, with none, or with another body is forged', async () => {
      const { first } = await fixture.capture();
      const other = await fixture.capture();
      const { signatureHeader } = driver;
      const signature = first.headers[signatureHeader] ?? '';
      const { [signatureHeader]: _signature, ...unsigned } = first.headers;
      const forged = [
        fixture.signed(first.body, 'dev-only-a-secret-of-somebody-else'),
        { body: first.body, headers: unsigned },
        { body: first.body, headers: { ...first.headers, [signatureHeader]: '' } },
        { body: first.body, headers: { ...first.headers, [signatureHeader]: `${signature}0` } },
        { body: first.body, headers: other.first.headers },
        { body: `${first.body} `, headers: first.headers },
        {
          body: first.body.replaceAll(
            driver.amountText(amountPaise),
            driver.amountText(amountPaise + 1),
          ),
          headers: first.headers,
        },
      ];
      expect(fixture.verify(first).valid).toBe(true);
      expect(forged.map((webhook) => fixture.verify(webhook).valid)).toEqual(
        forged.map(() => false),
      );
    });

    test('whose amounts were rewritten has another signature', async () => {
      const { first } = await fixture.capture();
      const amount = driver.amountText(amountPaise);
      const others = amount.includes('.')
        ? [amount.replace(/0+$/, ''), `${amount}0`]
        : [`${amount}.0`, `${amount}.00`, `${amount}e0`];
      const anew = [
        JSON.stringify(JSON.parse(first.body), null, 2),
        ...others.map((text) => first.body.replaceAll(amount, text)),
      ];
      for (const body of anew) {
        expect(body).not.toBe(first.body);
        expect(fixture.verify({ body, headers: first.headers }).valid).toBe(false);
      }
    });

    test('that is signed but cannot be read is unreadable', async () => {
      const { first, payment } = await fixture.capture();
      const amount = driver.amountText(amountPaise);
      const withAmount = (text: string) => first.body.replaceAll(amount, text);
      const withId = (text: string) => first.body.replaceAll(payment.gateway_payment_id, text);
      const bodies = [
        '',
        'captured',
        '[]',
        '{}',
        withAmount('1000.505'),
        withAmount(`-${amount}`),
        withAmount('900719925474099300000000'),
        withAmount('null'),
        first.body.replaceAll(
          new RegExp(`"(\\w+)":${amount}`, 'g'),
          (_all, name: string) => `"${name}":1,"${name}":${amount}`,
        ),
        withId('a\\u0000b'),
        withId('a'.repeat(200)),
        first.body.replace('{', `{"deep":${'['.repeat(40)}${']'.repeat(40)},`),
        first.body.replace('{', `{"many":[${'0,'.repeat(10_000)}0],`),
      ];
      for (const body of bodies) {
        expect(body).not.toBe(first.body);
        expect([body, fixture.verify(fixture.signed(body))]).toMatchObject([
          body,
          { valid: true, event: { kind: 'unreadable' } },
        ]);
      }
    });
  });
});
