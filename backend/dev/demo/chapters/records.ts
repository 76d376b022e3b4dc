import { addGrams, formatGrams, parseGrams, parseRupees } from '../../../src/money/index.ts';
import type { Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { signInOperator } from '../people.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';

/** Checks that the balance is the sum of the grams that were bought. */
export const readPortfolio: Step = {
  title: 'The portfolio',
  async run(demo) {
    const { api } = demo.readState('customer');
    const { body } = await api.get('/v1/portfolio');
    const { order, payment } = demo.readState('buy');
    const weights = [order, demo.readState('secondOrder')].map(({ grams }) =>
      parseGrams(expectPresent(grams, 'weight of an order')),
    );
    const bought = formatGrams(addGrams(...weights));
    expectThat(body.balance === bought, `the balance is ${body.balance} g, bought were ${bought}`);
    const paid = payment.amount_paise + demo.readState('quote').totalPaise;
    expectThat(body.investedPaise === paid, `invested reads ${body.investedPaise}, paid ${paid}`);
    const { body: passbook } = await api.get('/v1/portfolio/passbook');
    expectThat(passbook.holding.balance === bought, 'the passbook holds something else');
    const { balance, investedPaise, currentValuePaise, profitLossPaise, profitLossPct } = body;
    return [
      `${showGrams(balance)}, invested ${showPaise(investedPaise)} with tax,` +
        ` now worth ${showPaise(currentValuePaise)}`,
      `profit and loss ${showPaise(profitLossPaise)} (${profitLossPct} %)`,
    ];
  },
};

/** Newest first, and the same by either way. */
export const readHistory: Step = {
  title: 'The history',
  async run(demo) {
    const { api } = demo.readState('customer');
    const { body: history } = await api.get('/v1/portfolio/history');
    const query = { status: 'ALLOCATED', type: 'BUY' } as const;
    const { body: allocated } = await api.get('/v1/gold/orders', { query });
    const expected = [demo.readState('buy').order.id, demo.readState('secondOrder').id];
    for (const { items } of [history, allocated]) {
      const ids = items.map(({ id }) => id);
      const isSame = ids.toSorted().join() === expected.toSorted().join();
      expectThat(isSame, `the orders are ${ids.join(', ')}`);
    }
    return history.items.map(({ status, amount_inr, grams }) => {
      const weight = showGrams(expectPresent(grams, 'weight of an order'));
      return `${status}  ${weight} for ${showPaise(parseRupees(amount_inr))}`;
    });
  },
};

/** Everything that happened to an order is on record, its transitions and the calls behind them. */
export const readTimeline: Step = {
  title: "The operator reads the order's timeline",
  async run(demo) {
    const path = { id: demo.readState('buy').order.id };
    const { body } = await demo.readState('operator').api.get('/v1/orders/{id}', { path });
    const moves = body.events.map(({ to }) => to).join(' -> ');
    expectThat(moves === 'PENDING -> PAID -> ALLOCATED', `its history is ${moves}`);
    expectThat(body.payments.length === 1, `it has ${body.payments.length} payment orders`);
    const timeline = await demo.readState('operator').api.get('/v1/orders/{id}/timeline', { path });
    const kinds = new Set(timeline.body.items.map(({ kind }) => kind));
    for (const kind of ['quote', 'provider_call', 'webhook', 'movement'] as const) {
      expectThat(kinds.has(kind), `its timeline has no ${kind}`);
    }
    const jobs = await demo.readState('operator').api.get('/v1/jobs');
    expectThat(jobs.body.total === 0, `${jobs.body.total} jobs were given up`);
    return timeline.body.items.map(
      ({ at, kind, summary }) => `${at}  ${kind.padEnd(13)} ${summary}`,
    );
  },
};

/** Shows operators the events of the gateways, each kept as it came and applied once. */
export const readWebhooks: Step = {
  title: 'An operator looks at what the gateways sent',
  async run(demo) {
    const { operator } = await signInOperator(demo, 'ADMIN');
    const query = { status: 'APPLIED', limit: 5 } as const;
    const { body: events } = await operator.api.get('/v1/webhook-events', { query });
    const { id, source, eventType } = expectPresent(events.items[0], 'applied event');
    const path = { id };
    const { body: event } = await operator.api.get('/v1/webhook-events/{id}', { path });
    const text = JSON.stringify(event);
    const { phone } = demo.readState('customer').numbers;
    expectThat(!text.includes(phone.slice(-10)), 'the event shows the number of the customer');
    const replay = operator.api.post('/v1/webhook-events/{id}/replay', { path });
    await expectRefusal(409, 'ILLEGAL_TRANSITION', replay);
    return [
      `${events.total} events are applied, the newest ${source} ${eventType ?? ''}, its body masked`,
      'one that is applied is not applied again: 409',
    ];
  },
};

/** Checks that the audit log has the operator's approval and that it can't be changed. */
export const readAudit: Step = {
  title: 'The audit log has the approval',
  async run(demo) {
    const operator = demo.readState('operator');
    const query = { action: 'kyc.approve', targetId: demo.readState('kycRecordId') };
    const { body } = await operator.api.get('/v1/audit', { query });
    const [newest] = body.items;
    expectThat(newest !== undefined && body.total === 1, `it has ${body.total} approvals`);
    expectThat(newest.actor.email === operator.email, `it names ${newest.actor.email ?? 'nobody'}`);
    const { at, action, actor, target, requestId } = newest;
    return [
      `${at}  ${action} of ${target?.type ?? ''} ${target?.id ?? ''}`,
      `by ${actor.email ?? ''} (${actor.role ?? ''}), request ${requestId ?? ''}`,
    ];
  },
};

/** Reads what the notifications say of the story, and marks one as read, which it stays. */
export const readNotification: Step = {
  title: 'A notification is read',
  async run(demo) {
    const { api } = demo.readState('customer');
    const { id: orderId } = demo.readState('buy').order;
    const query = { limit: 100 };
    const { body: before } = await api.get('/v1/notifications', { query });
    const isOfBuy = ({ type, data }: (typeof before.items)[number]): boolean =>
      type === 'buy_success' && data['orderId'] === orderId;
    const bought = expectPresent(before.items.find(isOfBuy), 'notification of the buy');
    expectThat(!bought.read, 'it was read already');
    const options = { path: { id: bought.id } };
    for (let time = 0; time < 2; time += 1) {
      const { body } = await api.patch('/v1/notifications/{id}/read', options);
      expectThat(body.read, 'it is still unread');
    }
    const foreign = { path: { id: demo.random.uuid() } };
    const strange = api.patch('/v1/notifications/{id}/read', foreign);
    await expectRefusal(404, 'NOT_FOUND', strange);
    const { body: after } = await api.get('/v1/notifications', { query });
    const unread = after.items.filter(({ read }) => !read).length;
    expectThat(unread === before.items.length - 1, `${unread} are unread`);
    const { body: bell } = await api.get('/v1/notifications/unread-count');
    expectThat(bell.unread === unread, `the bell shows ${bell.unread}`);
    await api.post('/v1/notifications/read-all', { body: {} });
    const { body: quiet } = await api.get('/v1/notifications/unread-count');
    expectThat(quiet.unread === 0, `the bell still shows ${quiet.unread}`);
    return [
      `${bought.title}: ${bought.body}`,
      `${before.total} notifications, ${unread} of them unread; an unknown one: 404`,
      'the bell shows as many, and nothing once all are read',
    ];
  },
};
