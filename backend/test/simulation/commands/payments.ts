import type { UntypedAnswer } from '../../support/caller.ts';
import type { Buy, Payment, World } from '../model/world.ts';
import {
  allow,
  busy,
  hasFaults,
  numberOf,
  textOf,
  type Arguments,
  type Command,
} from '../story.ts';
import type { PendingWebhook } from '../system/webhook-recorder.ts';

const buyOf = (world: World, given: Arguments): Buy | undefined => world.buys[numberOf(given, 'b')];

/** Chooses among the newest buys, since old buys are rarely requested. */
const chooseBuy = (
  world: World,
  int: (below: number) => number,
  isFit: (buy: Buy) => boolean,
): number | undefined => {
  const fitting = world.buys.flatMap((buy, index) => (isFit(buy) ? [index] : []));
  if (fitting.length === 0) return undefined;
  const newest = fitting.slice(-8);
  return newest[int(newest.length)];
};

/** A payment at the gateway's checkout succeeds or fails. */
export const pay: Command = {
  name: 'pay',
  choose({ world, seen }, { int, pick, percent }) {
    const isFit = ({ id, gatewayOrderIds, payments }: Buy) =>
      gatewayOrderIds.length > 0 &&
      ((payments.length === 0 && seen.orders.get(id)?.status === 'PENDING') || percent(6));
    const b = chooseBuy(world, int, isFit);
    if (b === undefined) return undefined;
    const wrong = percent(10) ? (pick(['amount', 'currency']) ?? '') : '';
    const outcome = percent(86) ? 'captured' : 'failed';
    return { b, g: 0, outcome, wrong };
  },
  prepare({ system, world, seen }, given) {
    const known = buyOf(world, given);
    const gatewayOrderId = known?.gatewayOrderIds.at(-1);
    if (known === undefined || gatewayOrderId === undefined) return undefined;
    const late = seen.orders.get(known.id)?.status !== 'PENDING';
    const wrong = textOf(given, 'wrong');
    const outcome = textOf(given, 'outcome') === 'failed' ? 'failed' : 'captured';
    const amountPaise = known.amountPaise + (wrong === 'amount' ? -100 : 0);
    const currency = wrong === 'currency' ? 'USD' : 'INR';
    const body = { outcome, amountPaise, currency, deliver: 'webhook' };
    return {
      async call() {
        return system.tryControl('POST', `/payments/${gatewayOrderId}`, body);
      },
      judge(changed, answer) {
        // An expired order of a gateway takes no payment.
        if (answer.status >= 300) return;
        const { gateway_payment_id: id, signature } = answer.body;
        buyOf(changed, given)?.payments.push({
          id,
          gatewayOrderId,
          signature,
          outcome,
          amountPaise,
          currency,
          playedAt: changed.now,
          late,
          reversedPaise: 0,
          reversalTold: false,
        });
      },
    };
  },
};

/** Marks the payments that a webhook reports. */
export const markTold = (world: World, { body }: PendingWebhook): void => {
  const isReversal = /refund|dispute/iu.test(body.slice(0, 200));
  for (const { payments } of world.buys) {
    for (const payment of payments.filter(({ id }) => body.includes(id))) {
      if (isReversal) payment.reversalTold = true;
      else payment.toldAt ??= world.now;
    }
  }
};

/** A webhook arrives, which is the oldest or another one, once or several times at once. */
export const deliver: Command = {
  name: 'deliver',
  choose({ pendingWebhooks }, { int, percent }) {
    if (pendingWebhooks.length === 0) return undefined;
    const n = percent(70) ? 0 : int(pendingWebhooks.length);
    return { n, times: percent(85) ? 1 : 2 + int(2), keep: percent(8) };
  },
  prepare({ sessions, pendingWebhooks }, given) {
    const index = numberOf(given, 'n');
    const webhook = pendingWebhooks[index];
    if (webhook === undefined) return undefined;
    const { path, headers, body } = webhook;
    return {
      async call() {
        if (given['keep'] !== true) pendingWebhooks.splice(index, 1);
        const times = Math.max(1, numberOf(given, 'times'));
        const answers = await Promise.all(
          Array.from({ length: times }, () => sessions.deliver(path, headers, body)),
        );
        return answers.find(({ status }) => status !== 200) ?? (answers[0] as UntypedAnswer);
      },
      judge(changed, answer) {
        allow('webhook', answer, ['200']);
        markTold(changed, webhook);
      },
    };
  },
};

/** A webhook is lost and never sent again. */
export const lose: Command = {
  name: 'lose',
  choose: ({ pendingWebhooks }, { int }) =>
    pendingWebhooks.length === 0 ? undefined : { n: int(pendingWebhooks.length) },
  prepare({ pendingWebhooks }, given) {
    const index = numberOf(given, 'n');
    if (pendingWebhooks[index] === undefined) return undefined;
    return {
      async call() {
        pendingWebhooks.splice(index, 1);
        return nothing;
      },
      judge() {},
    };
  },
};

export const nothing: UntypedAnswer = {
  status: 200,
  body: {},
  headers: new Headers(),
  code: undefined,
  field: undefined,
};

/** A webhook arrives whose body does not match its signature. */
export const forge: Command = {
  name: 'forge',
  choose: ({ pendingWebhooks }, { int }) =>
    pendingWebhooks.length === 0 ? undefined : { n: int(pendingWebhooks.length) },
  prepare({ sessions, pendingWebhooks }, given) {
    const webhook = pendingWebhooks[numberOf(given, 'n')];
    if (webhook === undefined) return undefined;
    const body = webhook.body.replace(/"(amount|amount_paise)":\s*\d/u, '"$1":9');
    return {
      call: () => sessions.deliver(webhook.path, webhook.headers, `${body} `),
      judge: (_changed, answer) => allow('forged webhook', answer, ['401 INVALID_SIGNATURE']),
    };
  },
};

/** The customer's device sends the checkout's answer to the service. */
export const verify: Command = {
  name: 'verify',
  choose({ world }, { int, percent }) {
    const b = chooseBuy(world, int, ({ payments }) => payments.length > 0);
    if (b === undefined) return undefined;
    return { b, p: int(world.buys[b]?.payments.length ?? 1), forged: percent(10) };
  },
  prepare({ sessions, world }, given) {
    const known = buyOf(world, given);
    const payment = known?.payments[numberOf(given, 'p')];
    if (known === undefined || payment === undefined) return undefined;
    const customer = world.customers[known.customer];
    if (customer === undefined) return undefined;
    const forged = given['forged'] === true;
    const proof = {
      gateway_order_id: payment.gatewayOrderId,
      gateway_payment_id: payment.id,
      signature: forged ? 'f'.repeat(64) : payment.signature,
    };
    const path = `/v1/payments/orders/${known.paymentOrderId}/verify`;
    return {
      call: () => sessions.customer(customer.phone, 'POST', path, proof),
      judge(changed, answer) {
        const own = changed.customers[known.customer];
        const cannotSignIn = own === undefined || own.deleted || own.blocked;
        // Cashfree does not sign a checkout, and its orders have our ids.
        const signed = !/^[0-9a-f-]{36}$/u.test(payment.gatewayOrderId);
        const mine = known.gatewayOrderIds.at(-1) === payment.gatewayOrderId;
        const fits = mine ? ['200'] : ['400 PAYMENT_MISMATCH'];
        const usual = forged && signed ? ['400 SIGNATURE_MISMATCH'] : fits;
        allow('verify', answer, [
          ...(cannotSignIn ? ['401 UNAUTHENTICATED'] : usual),
          ...(signed
            ? []
            : ['400 SIGNATURE_MISMATCH', '400 PAYMENT_MISMATCH', '400 VALIDATION_FAILED']),
          // The limit of ten queries a minute, and a gateway that misbehaves.
          ...(hasFaults(changed) || !signed
            ? ['503 GATEWAY_UNAVAILABLE', '502 GATEWAY_UNAVAILABLE']
            : []),
          ...busy,
        ]);
      },
    };
  },
};

const isHeld = ({ outcome, amountPaise, reversedPaise }: Payment): boolean =>
  outcome === 'captured' && reversedPaise < amountPaise;

/** A payment is refunded at the gateway's own console, or lost in a dispute. */
export const reverse: Command = {
  name: 'reverse',
  choose({ world }, { int, percent, pick }) {
    const b = chooseBuy(world, int, ({ payments }) => payments.some(isHeld));
    if (b === undefined) return undefined;
    const p = world.buys[b]?.payments.findIndex(isHeld) ?? 0;
    return { b, p, kind: pick(['refunds', 'disputes']) ?? 'refunds', part: percent(25) };
  },
  prepare({ system, world }, given) {
    const payment = buyOf(world, given)?.payments[numberOf(given, 'p')];
    if (payment === undefined || payment.outcome !== 'captured') return undefined;
    const left = payment.amountPaise - payment.reversedPaise;
    const amountPaise = given['part'] === true ? Math.max(1, Math.floor(left / 3)) : left;
    const kind = textOf(given, 'kind');
    return {
      call: () => system.tryControl('POST', `/${kind}/${payment.id}`, { amountPaise }),
      judge(changed, answer) {
        if (answer.status >= 300) return;
        const own = buyOf(changed, given)?.payments[numberOf(given, 'p')];
        if (own !== undefined) own.reversedPaise += amountPaise;
      },
    };
  },
};
