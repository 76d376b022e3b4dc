import { deliver, payUnheard, signatureOf, signedEvent } from '#test/support/checkouts.ts';
import { askUntilDecided } from '#test/support/ask-until-decided.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { createReviewedBuys, type ReviewedBuy } from '#test/support/reviewed-buys.ts';
import { runQueuedJobs } from '#test/support/run-queued-jobs.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { newIdempotencyKey } from '#test/support/sellers.ts';
import { answerOf, createRace, type Operation } from './race.ts';

/** A buy, and the payment that its gateway has of it. */
export interface RacedBuy extends ReviewedBuy {
  readonly paymentId: string;
  readonly signature: string;
  readonly key: string;
  readonly paymentOrderId: string;
}

export type BuyOperation = Operation<OpenGold, RacedBuy>;

type Buyer = Pick<RacedBuy, 'userId' | 'call'>;

const newBuyer = async (open: OpenGold): Promise<Buyer> => {
  const { id: userId, call } = await open.newCustomer();
  return { userId, call };
};

/** Places a buy that the customer pays at the gateway, before any report reaches us. */
const placePaid = async (open: OpenGold, by?: Buyer): Promise<RacedBuy> => {
  const { userId, call } = by ?? (await newBuyer(open));
  const key = newIdempotencyKey();
  const body = { unit: 'INR', amount: '1000', idempotency_key: key };
  const { order, payment } = (await call('POST', '/gold/buy', body)).body;
  const gatewayOrderId = payment.gateway_order_id;
  const paid = await payUnheard(open, { gatewayOrderId });
  return {
    id: order.id,
    userId,
    call,
    key,
    txId: order.sg_tx_id,
    grams: order.grams,
    gatewayOrderId,
    paymentOrderId: payment.id,
    paymentId: paid.gateway_payment_id,
    signature: paid.signature,
  };
};

const tell = async (open: OpenGold, event: string, buy: RacedBuy, paymentId: string) => {
  const signed = signedEvent(event, buy.gatewayOrderId, paymentId);
  return String((await deliver(open, signed)).status);
};

const tellReversal = async (open: OpenGold, event: string, data: object): Promise<string> => {
  const text = JSON.stringify({ event, created_at: '2026-01-05T04:00:00.000Z', data });
  return String((await deliver(open, { body: text, signature: signatureOf(text) })).status);
};

const capture: BuyOperation = (open, buy) => tell(open, 'payment.captured', buy, buy.paymentId);
const failure: BuyOperation = (open, buy) => tell(open, 'payment.failed', buy, buy.paymentId);
const otherFailure: BuyOperation = (open, buy) =>
  tell(open, 'payment.failed', buy, `${buy.paymentId}-other`);
const verify: BuyOperation = async (_open, buy) =>
  answerOf(
    await askUntilDecided(() =>
      buy.call('POST', `/payments/orders/${buy.paymentOrderId}/verify`, {
        gateway_order_id: buy.gatewayOrderId,
        gateway_payment_id: buy.paymentId,
        signature: buy.signature,
      }),
    ),
  );
const replay: BuyOperation = async (_open, { call, key: idempotencyKey }) => {
  const body = { unit: 'INR', amount: '1000', idempotency_key: idempotencyKey };
  return answerOf(await askUntilDecided(() => call('POST', '/gold/buy', body)));
};
const goldSweep =
  (name: string): BuyOperation =>
  async (open) => {
    await runSweeps([...open.gold.expirySweeps, ...open.gold.sweeps], name);
    return 'done';
  };
const paymentSweep =
  (name: string): BuyOperation =>
  async (open) => {
    await runSweeps(open.payments.sweeps, name);
    return 'done';
  };
const allocate: BuyOperation = async (open, { id }) => {
  await open.allocate(id);
  return 'done';
};
/** Refunds at the gateway, once however often it is called. */
const refund: BuyOperation = async (open, buy) => {
  await open.sandbox.control('POST', `/refunds/${buy.paymentId}`, { deliver: 'none' });
  return tellReversal(open, 'refund.processed', {
    gateway_order_id: buy.gatewayOrderId,
    gateway_payment_id: buy.paymentId,
    reference: `refund-of-${buy.paymentId}`,
    amount_paise: 100_000,
  });
};
export const dispute: BuyOperation = (open, buy) =>
  tellReversal(open, 'dispute.lost', {
    gateway_payment_id: buy.paymentId,
    reference: `dispute-of-${buy.paymentId}`,
    amount_paise: 100_000,
  });
/** Of a payment that the customer made in the same checkout before. */
const secondCapture: BuyOperation = async (open, buy) => {
  const { gateway_payment_id: second } = await payUnheard(open, buy);
  return tell(open, 'payment.captured', buy, second);
};
/** Resolves as an operator does, who reads the order again if it has changed meanwhile. */
const resolve =
  (resolution: string): BuyOperation =>
  async (open, { id }) => {
    const ask = () =>
      createReviewedBuys(open).resolve(id, resolution, { reference: `by-hand-${id}` });
    const answer = await ask();
    return answerOf(answer.status === 409 ? await ask() : answer);
  };

const orderRow = ({ id }: { readonly id: string }): readonly [string, string] => [
  'SELECT 1 FROM gold_order WHERE id = $1::uuid FOR UPDATE',
  id,
];

/** Runs what is queued, as often as anything is. */
export const settleGold = async (open: OpenGold): Promise<void> => {
  const { db, inTransaction } = open.database;
  const deps = { db, inTransaction, logger: open.logger };
  const [thrown] = await runQueuedJobs(deps, open.gold.jobs);
  if (thrown !== undefined) throw thrown;
};

/** Describes a buy, its payments, its gold and the requests to the provider. */
const stateOfBuy = async (open: OpenGold, buy: RacedBuy): Promise<string> => {
  const { db } = open.database;
  const order = await db.goldOrder.findUniqueOrThrow({ where: { id: buy.id } });
  const paymentOrder = await db.paymentOrder.findFirstOrThrow({ where: { orderId: buy.id } });
  const payments = await db.gatewayPayment.findMany({ where: { paymentOrderId: paymentOrder.id } });
  const holding = await db.holding.findUniqueOrThrow({ where: { userId: buy.userId } });
  const confirms = (await open.journal('buy-confirm')).filter(
    ({ body }) => String(body['tx_id']) === buy.txId,
  );
  const told = await db.notification.groupBy({
    by: ['type'],
    where: { userId: buy.userId },
    _count: true,
    orderBy: { type: 'asc' },
  });
  const share = (amount: { div(by: string): { toFixed(places: number): string } }): string =>
    amount.div(buy.grams).toFixed(2);
  return [
    [order.status, order.manualReviewCode].filter(Boolean).join(' '),
    `payment ${paymentOrder.status}`,
    payments
      .map(({ disposition }) => disposition)
      .toSorted()
      .join('+') || 'none',
    `holds ${share(holding.balance)}, reserved ${share(holding.reserved)}`,
    `${confirms.length} confirms`,
    told.map(({ type, _count: count }) => `${type} x${count}`).join(' ') || 'nothing told',
  ].join('; ');
};

const buyRace = (
  name: string,
  prepare: (open: OpenGold) => Promise<RacedBuy>,
  operations: Readonly<Record<string, BuyOperation>>,
  also: Readonly<Record<string, readonly string[]>> = {},
) =>
  createRace<OpenGold, RacedBuy>('buys', {
    name,
    prepare: (open) => prepare(open),
    row: orderRow,
    operations,
    settle: settleGold,
    state: stateOfBuy,
    // A gateway repeats its report of a payment until it is accepted.
    async rest(open, buy) {
      await capture(open, buy);
      await settleGold(open);
    },
    also,
  });

export const placeHeard = async (open: OpenGold, by?: Buyer): Promise<RacedBuy> => {
  const buy = await placePaid(open, by);
  await capture(open, buy);
  return buy;
};
export const placeAllocated = async (open: OpenGold): Promise<RacedBuy> => {
  const buy = await placeHeard(open);
  await open.allocate(buy.id);
  return buy;
};
const placeLapsed = async (open: OpenGold): Promise<RacedBuy> => {
  const buy = await placePaid(open);
  await open.advance(481);
  return buy;
};
const placeLate = async (open: OpenGold): Promise<RacedBuy> => {
  const buy = await placeLapsed(open);
  await capture(open, buy);
  return buy;
};
const placeReversed = async (open: OpenGold): Promise<RacedBuy> => {
  const buy = await placeAllocated(open);
  await dispute(open, buy);
  return buy;
};
const placePaidBack = async (open: OpenGold): Promise<RacedBuy> => {
  const buy = await placeLate(open);
  await open.sandbox.control('POST', `/refunds/${buy.paymentId}`, { deliver: 'none' });
  return buy;
};

export const buyRaces = [
  buyRace('a buy whose checkout is paid', placePaid, {
    capture,
    'failure of another try': otherFailure,
    verify,
    replay,
    'sweep of paid orders': goldSweep('buying-resume-paid-orders'),
  }),
  buyRace('an unpaid buy whose lock ended, paid at the gateway', placeLapsed, {
    capture,
    'failure of another try': otherFailure,
    verify,
    expiry: goldSweep('buying-expire-unpaid-orders'),
    poll: paymentSweep('payments-poll-due-payments'),
  }),
  buyRace('a paid buy', placeHeard, {
    allocate,
    'second capture': secondCapture,
    failure,
    refund,
    dispute,
    'capture again': capture,
    'sweep of paid orders': goldSweep('buying-resume-paid-orders'),
  }),
  buyRace(
    'a late capture under review',
    placeLate,
    {
      ALLOCATE: resolve('ALLOCATE'),
      'capture again': capture,
      'second capture': secondCapture,
      dispute,
    },
    {
      // The dispute came after the decision and before its gold was bought, so none was.
      'ALLOCATE + dispute': [
        '200, 200: MANUAL_REVIEW PAYMENT_REVERSED; payment PAID; APPLIED; ' +
          'holds 0.00, reserved 0.00; 0 confirms; buy_under_review x2',
      ],
    },
  ),
  buyRace('a late capture under review, paid back at the gateway', placePaidBack, {
    ALLOCATE: resolve('ALLOCATE'),
    REFUNDED: resolve('REFUNDED'),
    refund,
    'poll of reversals': paymentSweep('payments-poll-reversals'),
  }),
  buyRace('an allocated buy whose payment was reversed', placeReversed, {
    KEEP: resolve('KEEP'),
    RECOVER: resolve('RECOVER'),
    failure,
    'dispute again': dispute,
    'second capture': secondCapture,
  }),
];
