import { describe, expect } from 'vitest';
import { gatewayDrivers } from '#test/adapters/gateway-drivers.ts';
import { eventually } from '#test/support/eventually.ts';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { createReviewedBuys, type ReviewedBuy } from '#test/support/reviewed-buys.ts';

interface Webhook {
  readonly subject: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const amountPaise = 100_000;
const newSecret = 'dev-only-new-webhook-secret-of-the-gateway';

/** Creates buys on a system, and the webhooks that its gateway sends for them. */
const createWebhooks = (open: OpenGold) => {
  const buys = createReviewedBuys(open);
  const sent = async ({ gatewayOrderId }: ReviewedBuy): Promise<readonly Webhook[]> => {
    const { body } = await open.sandbox.control('GET', '/webhooks');
    const deliveries = body['deliveries'] as (Webhook & { state: string })[];
    const own = deliveries.filter(({ subject }) => subject === gatewayOrderId);
    expect(own.map(({ state }) => state)).toEqual(own.map(() => 'delivered'));
    return own;
  };
  const deliver = async ({ path, headers, body }: Omit<Webhook, 'subject'>) => {
    const response = await fetch(open.url.slice(0, -'/v1'.length) + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    const answer: unknown = await response.json();
    return { status: response.status, body: answer };
  };
  const inboxOf = ({ gatewayOrderId }: ReviewedBuy) =>
    open.database.db.webhookEvent.findMany({ where: { subject: gatewayOrderId } });
  const movesOf = async ({ id }: ReviewedBuy) => {
    const rows = await open.database.db.goldOrderEvent.findMany({
      where: { orderId: id },
      orderBy: { seq: 'asc' },
    });
    return rows.map(({ toStatus }) => toStatus);
  };

  /** Returns a paid buy, and one of the webhooks that reported its payment. */
  const paid = async (play: object = {}) => {
    const buy = await buys.place();
    const paymentId = await buys.pay(buy, play);
    await buys.becomes(buy, 'PAID');
    const webhooks = await eventually(async () => {
      const own = await sent(buy);
      expect(own.length).toBeGreaterThan(0);
      return own;
    });
    const [webhook] = webhooks;
    if (webhook === undefined) throw new Error('no webhook was sent');
    return { buy, paymentId, webhook };
  };

  /** Returns a webhook that would pay an order if it were accepted. */
  const unpaid = async () => {
    const { buy: other, webhook } = await paid();
    const buy = await buys.place();
    const body = webhook.body.replaceAll(other.gatewayOrderId, buy.gatewayOrderId);
    return { buy, path: webhook.path, body, webhook };
  };
  return { buys, deliver, inboxOf, movesOf, paid, sent, unpaid };
};

const families = gatewayDrivers.map((driver) => {
  const env = {
    PAYMENT_GATEWAYS: driver.code,
    // The newest secret comes first. The gateway still signs with the old secret.
    [driver.secretsVariable]: `${newSecret},${driver.secret}`,
  };
  const it = goldTest({ env }).extend('webhooks', { scope: 'file' }, ({ open }) =>
    createWebhooks(open),
  );
  return { driver, code: driver.code, it };
});

describe.each(families)('webhooks of the gateway $code', ({ driver, it }) => {
  it.for(['webhook', 'duplicate', 'reordered', 'delayed'])(
    'pay an order once: %s',
    async (mode, { webhooks: { buys, inboxOf, movesOf, paid, sent } }) => {
      const { buy } = await paid({ deliver: mode, delayMs: 20 });
      await eventually(async () => expect((await sent(buy)).length).toBeGreaterThan(0));
      expect(await movesOf(buy)).toEqual(['PENDING', 'PAID']);
      expect(await buys.paymentDispositions(buy)).toEqual(['APPLIED']);
      const inbox = await inboxOf(buy);
      expect(inbox.map(({ status }) => status)).toEqual(inbox.map(() => 'APPLIED'));
    },
  );

  it('change nothing if they are repeated, also without their event id', async ({
    webhooks: { deliver, inboxOf, movesOf, paid },
  }) => {
    const { buy, webhook } = await paid();
    const repeated = { status: 200, body: { received: true, duplicate: true } };
    const before = (await inboxOf(buy)).length;
    expect(await deliver(webhook)).toEqual(repeated);
    const headers = driver.sign(webhook.body, driver.secret);
    expect(await deliver({ ...webhook, headers })).toEqual(repeated);
    expect(await inboxOf(buy)).toHaveLength(before);
    expect(await movesOf(buy)).toEqual(['PENDING', 'PAID']);
  });

  it('pay an order that failed before', async ({ webhooks: { buys } }) => {
    const buy = await buys.place();
    await buys.pay(buy, { outcome: 'failed' });
    await eventually(async () => expect(await buys.paymentOrderStatus(buy)).toBe('FAILED'));
    await buys.pay(buy);
    await buys.becomes(buy, 'PAID');
  });

  it.for([
    ['a paisa too little', { amountPaise: amountPaise - 1 }, 'AMOUNT_MISMATCH'],
    ['a paisa too much', { amountPaise: amountPaise + 1 }, 'AMOUNT_MISMATCH'],
    ['another currency', { currency: 'USD' }, 'CURRENCY_MISMATCH'],
  ] as const)('bring %s to a review', async ([, play, code], { webhooks: { buys, movesOf } }) => {
    const buy = await buys.place();
    await buys.pay(buy, play);
    await buys.becomes(buy, 'MANUAL_REVIEW', code);
    expect(await movesOf(buy)).toEqual(['PENDING', 'MANUAL_REVIEW']);
  });

  it('of a reversal bring the order to a review', async ({ webhooks: { buys, paid } }) => {
    const { buy, paymentId } = await paid();
    const reference = await buys.payBack(paymentId, { amountPaise: 101 });
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    expect(await buys.reasonOf(buy)).toContain(reference);
    const lost = await buys.loseDispute(paymentId, { amountPaise: 102 });
    await eventually(async () => expect(await buys.reasonOf(buy)).toContain(lost));
  });

  describe('that are not genuine', () => {
    const refused = { status: 401, body: { error: { code: 'INVALID_SIGNATURE' } } };
    it('pay nothing if they are forged or unsigned, or have another body or none', async ({
      webhooks: { deliver, inboxOf, movesOf, unpaid },
    }) => {
      const { buy, path, body, webhook } = await unpaid();
      const unsigned = { ...webhook.headers, [driver.signatureHeader]: '' };
      for (const forged of [
        { path, body, headers: webhook.headers },
        { path, body, headers: unsigned },
        { path, body, headers: driver.sign(body, 'dev-only-a-secret-of-somebody-else') },
        { path, body: `${body} `, headers: driver.sign(body, driver.secret) },
        { path, body: '', headers: driver.sign('', driver.secret) },
      ]) {
        expect(await deliver(forged)).toMatchObject(refused);
      }
      expect(await inboxOf(buy)).toEqual([]);
      expect(await movesOf(buy)).toEqual(['PENDING']);
    });

    it('have an invalid signature if the amounts were rewritten', async ({
      webhooks: { deliver, unpaid },
    }) => {
      const { path, body, webhook } = await unpaid();
      const amount = driver.amountText(amountPaise);
      const others = amount.includes('.') ? [amount.replace(/\.?0+$/u, '')] : [`${amount}.0`];
      for (const text of [...others, `${amount}0`]) {
        const anew = { path, body: body.replaceAll(amount, text) };
        expect(anew.body).not.toBe(body);
        const headers = driver.sign(body, driver.secret);
        expect(await deliver({ ...anew, headers })).toMatchObject(refused);
      }
      const printed = JSON.stringify(JSON.parse(webhook.body), null, 1);
      expect(await deliver({ ...webhook, body: printed })).toMatchObject(refused);
    });
  });

  it('are accepted under the new secret and under the old one', async ({
    webhooks: { deliver, movesOf, paid },
  }) => {
    const { buy, webhook } = await paid();
    const { path } = webhook;
    const body = `${webhook.body} `;
    const byNew = await deliver({ path, body, headers: driver.sign(body, newSecret) });
    expect(byNew).toEqual({ status: 200, body: { received: true } });
    expect(await movesOf(buy)).toEqual(['PENDING', 'PAID']);
  });

  it('that arrive after the price lock bring the order to a review', async ({
    open,
    webhooks: { buys },
  }) => {
    const buy = await buys.place();
    await open.advance(481);
    await buys.pay(buy);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'LATE_CAPTURE');
    expect(await buys.paymentOrderStatus(buy)).toBe('PAID');
  });
});
