import { describe, expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import { eventually } from '#test/support/eventually.ts';
import { jobsOf } from '#test/support/job-queue.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';

const it = goldTest();

let keys = 0;
const newKey = (): string => `key-${String((keys += 1)).padStart(6, '0')}`;
const buyOf = (amount: string | number = '1000', key = newKey()) => ({
  unit: 'INR',
  amount,
  idempotency_key: key,
});

describe('orders', () => {
  it('are listed newest first, by filter, and only to their owner', async ({ open }) => {
    const { id, call, phone } = await open.newCustomer();
    const stranger = await open.newCustomer();
    const ids: string[] = [];
    for (const amount of ['100', '200', '300']) {
      ids.unshift((await call('POST', '/gold/buy', buyOf(amount))).body.order.id);
      open.clock.advance(1000);
    }
    const list = await call('GET', '/gold/orders?limit=2');
    expect(list.body).toMatchObject({ total: 3, page: 1, limit: 2 });
    expect(list.body.items.map((order: { id: string }) => order.id)).toEqual(ids.slice(0, 2));
    expect((await call('GET', '/gold/orders?status=PENDING&type=BUY')).body.total).toBe(3);
    expect((await call('GET', '/gold/orders?status=ALLOCATED')).body.total).toBe(0);
    expect((await call('GET', '/portfolio/history?page=2&limit=2')).body.items).toHaveLength(1);
    for (const query of ['status=LOST', 'type=GIFT', 'limit=101', 'page=0', 'limit=ten']) {
      expect((await call('GET', `/gold/orders?${query}`)).status).toBe(400);
    }
    expect((await stranger.call('GET', `/gold/orders/${ids[0]}`)).status).toBe(404);
    expect((await stranger.call('GET', '/gold/orders')).body.total).toBe(0);

    const operator = open.as('operator');
    const ten = phone.slice(-10);
    for (const query of [
      `userId=${id}`,
      `userId=${id}&status=PENDING&type=BUY`,
      `q=${id}`,
      `q=${encodeURIComponent(phone)}`,
      `q=${ten}`,
    ]) {
      expect((await operator('GET', `/orders?${query}`)).body.total).toBe(3);
    }
    expect((await operator('GET', `/orders?q=${ten}&type=SELL`)).body.total).toBe(0);
    expect((await operator('GET', '/orders?q=nobody')).body.total).toBe(0);
    const { body: order } = await operator('GET', `/orders/${ids[0]}`);
    expect(order).toMatchObject({
      user_id: id,
      provider_amount_paise: expect.any(Number),
      payments: [{ order_id: ids[0], status: 'GATEWAY_ORDER_CREATED' }],
      events: [{ from: null, to: 'PENDING', cause: 'order.placed', actor: `customer:${id}` }],
    });
    const found = await operator('GET', `/orders?q=${order.sg_tx_id}`);
    expect(found.body.items).toHaveLength(1);
  });

  it('are filtered for operators by creation time and amount', async ({ open }) => {
    const { id, call } = await open.newCustomer();
    const made: { id: string; created_at: string }[] = [];
    for (const amount of ['100', '200', '300']) {
      made.push((await call('POST', '/gold/buy', buyOf(amount))).body.order);
      open.clock.advance(1000);
    }
    const [first, second, third] = made.map((order) => order.id);
    const at = encodeURIComponent(made[1]?.created_at ?? '');
    const operator = open.as('operator');
    const idsOf = async (query: string) => {
      const { body } = await operator('GET', `/orders?userId=${id}&${query}`);
      const items = body.items as { id: string }[]; // their view
      expect(body.total).toBe(items.length);
      return items.map((order) => order.id);
    };
    expect(await idsOf(`from=${at}`)).toEqual([third, second]);
    expect(await idsOf(`to=${at}`)).toEqual([first]);
    expect(await idsOf('minPaise=20000')).toEqual([third, second]);
    expect(await idsOf('maxPaise=20000')).toEqual([second, first]);
    expect(await idsOf(`from=${at}&maxPaise=20000`)).toEqual([second]);
    for (const query of ['from=yesterday', 'minPaise=-1', 'maxPaise=1.5']) {
      const { status, body } = await operator('GET', `/orders?${query}`);
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain(query.split('=')[0]);
    }
  });
});

describe('an order that is not paid', () => {
  it('fails with its payment order when the price lock ends', async ({ open }) => {
    const { call } = await open.newCustomer();
    const { body } = await call('POST', '/gold/buy', buyOf());
    const expire = () => runSweeps(open.gold.expirySweeps, 'buying-expire-unpaid-orders');
    await open.advance(479);
    await expire();
    expect((await call('GET', `/gold/orders/${body.order.id}`)).body.status).toBe('PENDING');
    await open.advance(1);
    const down = { collaborator: 'sandbox-gateway', operation: '*', fault: 'error', times: 50 };
    await open.sandbox.control('POST', '/faults', down);
    await expire();
    // While the gateway is silent, the order is not regarded as unpaid.
    expect((await call('GET', `/gold/orders/${body.order.id}`)).body.status).toBe('PENDING');
    await open.sandbox.control('DELETE', '/faults');
    await eventually(async () => {
      await expire();
      expect((await call('GET', `/gold/orders/${body.order.id}`)).body.status).toBe('FAILED');
    });
    expect((await call('GET', `/payments/orders/${body.payment.id}`)).body.status).toBe('EXPIRED');
    expect(await jobsOf(open.database.db, 'gold.allocate')).toEqual([]);
  });

  it('goes to review if a poll finds a late payment that no webhook reported', async ({ open }) => {
    const { call } = await open.newCustomer();
    const { body } = await call('POST', '/gold/buy', buyOf());
    const { gateway_order_id: gatewayOrderId } = body.payment;
    const paid = { outcome: 'captured', deliver: 'none' };
    expect((await open.sandbox.control('POST', `/payments/${gatewayOrderId}`, paid)).status).toBe(
      200,
    );
    await open.advance(480);
    await runSweeps(open.gold.expirySweeps, 'buying-expire-unpaid-orders');
    const { body: order } = await call('GET', `/gold/orders/${body.order.id}`);
    expect(order).toMatchObject({ status: 'MANUAL_REVIEW', manual_review_code: 'LATE_CAPTURE' });
  });
});
