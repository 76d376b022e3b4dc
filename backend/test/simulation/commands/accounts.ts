import { allow, answerText, busy, numberOf, Refuted, textOf, type Command } from '../story.ts';
import { chooseCustomer, customerOf } from './customers.ts';
import { nothing } from './payments.ts';

/** States of an order that is not finished. */
const openOrders = new Set([
  'PENDING',
  'PAID',
  'RETRY_PENDING',
  'MANUAL_REVIEW',
  'VERIFIED',
  'CONFIRMED',
]);

/** A customer deletes the account. Everything that is not finished prevents that. */
export const deleteAccount: Command = {
  name: 'delete-account',
  choose(story, { pick, percent }) {
    const c = chooseCustomer(story, pick, ({ blocked }) => !blocked);
    return c === undefined || !percent(20) ? undefined : { c };
  },
  prepare({ sessions, world, seen }, given) {
    const customer = customerOf(world, given);
    if (customer === undefined || customer.deleted || customer.blocked) return undefined;
    const { phone, userId } = customer;
    return {
      async call() {
        const asked = await sessions.customer(phone, 'POST', '/v1/users/me/deletion/request');
        if (asked.status >= 300) return asked;
        const otp = await sessions.codeFor(phone);
        const body = { otp, confirmation: 'DELETE' };
        return sessions.customer(phone, 'POST', '/v1/users/me/deletion/confirm', body);
      },
      judge(changed, answer) {
        const own = customerOf(changed, given);
        if (own === undefined) return;
        if (answer.status >= 300) {
          if (answer.status >= 500 || answer.status === 401) allow('deletion', answer, busy);
          return;
        }
        const open = [...seen.orders.values()].filter(
          ({ user, status }) => user === userId && openOrders.has(status),
        );
        const payouts = [...seen.payouts.values()].filter(
          (payout) =>
            seen.orders.get(payout.order)?.user === userId &&
            ['PENDING', 'PROCESSING', 'FAILED', 'REVERSED'].includes(payout.status),
        );
        const stuck = [...open, ...payouts];
        if (stuck.length > 0) {
          throw new Refuted('deletion', `accepted with ${JSON.stringify(stuck)}`);
        }
        own.deleted = true;
        own.kyc = 'PENDING';
      },
    };
  },
};

/** A customer requests another customer's row. It does not exist for them. */
export const trespass: Command = {
  name: 'trespass',
  choose(story, { pick, int }) {
    const c = chooseCustomer(story, pick, ({ blocked }) => !blocked);
    if (c === undefined || story.world.buys.length === 0) return undefined;
    return {
      c,
      b: int(story.world.buys.length),
      way: pick(['order', 'payment', 'verify', 'invoice']) ?? 'order',
    };
  },
  prepare({ sessions, world }, given) {
    const customer = customerOf(world, given);
    const known = world.buys[numberOf(given, 'b')];
    if (customer === undefined || customer.deleted || known === undefined) return undefined;
    if (known.customer === numberOf(given, 'c') || known.paymentOrderId === '') return undefined;
    const paths: Record<string, readonly [string, string]> = {
      order: ['GET', `/v1/gold/orders/${known.id}`],
      payment: ['GET', `/v1/payments/orders/${known.paymentOrderId}`],
      verify: ['POST', `/v1/payments/orders/${known.paymentOrderId}/verify`],
      invoice: ['GET', `/v1/gold/orders/${known.id}/invoice`],
    };
    const [method, path] = paths[textOf(given, 'way')] ?? ['GET', `/v1/gold/orders/${known.id}`];
    const body =
      method === 'POST'
        ? { gateway_order_id: 'x', gateway_payment_id: 'y', signature: 'z'.repeat(64) }
        : undefined;
    return {
      call: () => sessions.customer(customer.phone, method, path, body),
      judge(changed, answer) {
        const own = customerOf(changed, given);
        const cannotSignIn = own === undefined || own.deleted || own.blocked;
        allow('trespass', answer, [cannotSignIn ? '401 UNAUTHENTICATED' : '404 NOT_FOUND']);
      },
    };
  },
};

/** A customer reads their portfolio, which must have the story's balance. */
export const readPortfolio: Command = {
  name: 'read-portfolio',
  choose(story, { pick }) {
    const c = chooseCustomer(story, pick, ({ blocked }) => !blocked);
    return c === undefined ? undefined : { c };
  },
  prepare({ sessions, world }, given) {
    const customer = customerOf(world, given);
    if (customer === undefined || customer.deleted || customer.blocked) return undefined;
    return {
      call: () => sessions.customer(customer.phone, 'GET', '/v1/portfolio'),
      judge(changed, answer) {
        const own = customerOf(changed, given);
        if (own === undefined || answerText(answer) !== '200') return;
        const balance = Math.round(Number(answer.body.balance) * 10_000);
        if (balance !== own.balance) {
          throw new Refuted('portfolio', `shows ${balance}, not ${own.balance} units of 0.0001 g`);
        }
      },
    };
  },
};

/** The processes are stopped and started again. */
export const restart: Command = {
  name: 'restart',
  choose: () => ({}),
  prepare: ({ system }) => ({
    async call() {
      await system.restart();
      return nothing;
    },
    judge: () => {},
  }),
};

/**
 * A new key of personal data is put first and the old keys stay, so the sweep seals all rows again.
 */
export const rotateKeys: Command = {
  name: 'rotate-keys',
  choose: ({ nextKey }) => ({ n: nextKey }),
  prepare: ({ system }, given) => ({
    async call() {
      await system.addKey(`key-${numberOf(given, 'n')}`);
      return nothing;
    },
    judge: () => {},
  }),
};
