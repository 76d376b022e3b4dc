import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { createCaller, type Caller } from '#test/support/caller.ts';
import { createFactories } from '#test/support/factories.ts';
import type { OpenProductOrders } from '#test/support/open-product-orders.ts';
import { productOrdersTest } from '#test/support/product-orders-test.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { endOfIstDate, istDate } from '../../platform/clock/ist.ts';
import { createRegisterAccountingRoutes } from '../registers/index.ts';
import { datesOf } from './open-months.ts';
import { createAccounting, portalRead } from './index.ts';

const it = productOrdersTest();
const daySeconds = 24 * 60 * 60;

interface Sold {
  readonly id: string;
  readonly gstPaise: number;
  readonly totalPaise: number;
}

const place = async (open: OpenProductOrders, call: Caller, pricePaise: bigint): Promise<Sold> => {
  const { status, body } = await open.order(call, [await open.product({ pricePaise })]);
  expect(status).toBe(201);
  const { id, gstPaise, totalPaise } = Object(body);
  return { id, gstPaise, totalPaise };
};

const advanceTo = async (open: OpenProductOrders, id: string, ...statuses: readonly string[]) => {
  const { call } = await open.operator();
  for (const status of statuses) {
    expect((await call('PATCH', `/product-orders/${id}/status`, { status })).status).toBe(200);
  }
};
const sent = ['CONFIRMED', 'PACKED', 'SHIPPED'];

const receive = async (open: OpenProductOrders, { id, totalPaise }: Sold, less = 0) => {
  const { call } = await open.operator();
  const amountPaise = totalPaise - less;
  const body = { amountPaise, reference: open.system.random.uuid() };
  expect((await call('POST', `/product-orders/${id}/cash`, body)).status).toBe(200);
  return amountPaise;
};

/** Returns a caller of the accounting API. Sessions of earlier days have ended. */
const openPortal = async ({ system }: OpenProductOrders): Promise<Caller> => {
  const shared = { ...system, readSnapshot: system.database.readSnapshot };
  const { routes, guard } = createAccounting(shared);
  const url = await system.serve({
    prefix: '/api/v1/accounting',
    routes: [...routes, ...createRegisterAccountingRoutes({ ...shared, access: portalRead })],
    guard,
  });
  const { token } = await createFactories(system).portalUser();
  return createCaller(url, { 'x-portal-token': token });
};

const sum = (orders: readonly Sold[], of: (order: Sold) => number): number =>
  orders.reduce((total, order) => total + of(order), 0);
const floorHalf = ({ gstPaise }: Sold): number => Math.floor(gstPaise / 2);
const ceilHalf = ({ gstPaise }: Sold): number => Math.ceil(gstPaise / 2);
const gstOf = ({ gstPaise }: Sold): number => gstPaise;
const totalOf = ({ totalPaise }: Sold): number => totalPaise;

const read = async (ask: Caller, day: string, more = '') => {
  const { status, body } = await ask('GET', `/gold/product-sales?from=${day}&to=${day}${more}`);
  expect(status).toBe(200);
  return body;
};

describe('jewellery in the books', () => {
  it('belongs to the day of its supply, its return and its cash, and is frozen with the month', async ({
    open,
  }) => {
    const { system } = open;
    const { call } = await open.customer();
    const dayOf = () => istDate(system.clock.now());
    // The GST of one order is odd and that of the other is even.
    const [kept, back, waiting] = [
      await place(open, call, 100_100n),
      await place(open, call, 100_000n),
      await place(open, call, 70_000n),
    ];
    await open.system.advance(Math.ceil(startOfNextMonth(system.clock.now()) / 1000));
    const supplyDay = dayOf();
    await advanceTo(open, kept.id, ...sent, 'DELIVERED');
    await advanceTo(open, back.id, ...sent, 'DELIVERED');
    const first = await openPortal(open);
    const supplied = [kept, back];
    const ordered = { total: 2, totals: { amountPaise: sum(supplied, totalOf) } };
    expect(await read(first, supplyDay)).toMatchObject({
      ...ordered,
      totals: {
        gstPaise: sum(supplied, gstOf),
        cgstPaise: sum(supplied, floorHalf),
        sgstPaise: sum(supplied, ceilHalf),
        receivedPaise: 0,
        outstandingPaise: sum(supplied, totalOf),
        returnedPaise: 0,
      },
    });
    // An order that was not shipped has the day on which it was placed, and is no supply.
    expect(await read(first, supplyDay, `&q=${waiting.id}`)).toMatchObject({ total: 0 });
    const { body: found } = await first('GET', `/gold/product-sales?q=${waiting.id}`);
    expect(found['items']).toMatchObject([
      { orderId: waiting.id, amountPaise: null, gstPaise: null, invoiceNumber: null },
    ]);

    await system.advance(daySeconds);
    const cashDay = dayOf();
    const received = (await receive(open, kept, 1)) + (await receive(open, back));
    await system.advance(daySeconds);
    const returnDay = dayOf();
    await advanceTo(open, back.id, 'RETURNED');
    const later = await openPortal(open);
    const summary = async (day: string) => {
      const { body } = await later('GET', `/gold/summary?from=${day}&to=${day}`);
      return body['products'];
    };
    const nothing = { orders: 0, amountPaise: 0, returned: 0, returnedPaise: 0, receivedPaise: 0 };
    expect(await summary(supplyDay)).toMatchObject({
      ...nothing,
      orders: 2,
      amountPaise: sum(supplied, totalOf),
      closingOutstandingPaise: sum(supplied, totalOf),
      closingRefundablePaise: 0,
    });
    expect(await summary(cashDay)).toMatchObject({
      ...nothing,
      receivedPaise: received,
      closingOutstandingPaise: 1,
    });
    expect(await summary(returnDay)).toMatchObject({
      ...nothing,
      returned: 1,
      returnedPaise: back.totalPaise,
      returnedGstPaise: back.gstPaise,
      returnedCgstPaise: floorHalf(back),
      returnedSgstPaise: ceilHalf(back),
      closingOutstandingPaise: 1,
      closingRefundablePaise: back.totalPaise,
    });
    // The day of the supply keeps its figures, and the row shows the later return.
    const { body: returned } = await later('GET', '/gold/product-sales?status=RETURNED');
    const [row] = returned['items'] as { creditNoteNumber: string }[]; // of the register
    expect(row).toMatchObject({
      date: supplyDay,
      amountPaise: back.totalPaise,
      outstandingPaise: null,
      returnedPaise: back.totalPaise,
      refundablePaise: back.totalPaise,
    });
    const byNumber = await read(later, supplyDay, `&q=${row?.creditNoteNumber ?? ''}`);
    expect(byNumber).toMatchObject({ total: 1, items: [{ orderId: back.id }] });

    await closeAndTamper(open, supplyDay.slice(0, 7), sum(supplied, totalOf));
  });
});

/** The time until the first hour of the second day of the next month in India. */
function startOfNextMonth(now: Date): number {
  const { to } = datesOf(istDate(now).slice(0, 7));
  return addMs(endOfIstDate(to), 25 * 60 * 60_000).getTime() - now.getTime();
}

const change = (by: string) => `
ALTER TABLE product_invoice DISABLE TRIGGER product_invoice_append_only;
UPDATE product_invoice SET total_paise = total_paise ${by}, gst_paise = gst_paise ${by}
WHERE number = (SELECT min(number) FROM product_invoice WHERE kind = 'INVOICE');
ALTER TABLE product_invoice ENABLE TRIGGER product_invoice_append_only`;

/** Checks that a month with a difference cannot be closed, and closes it after the repair. */
const closeAndTamper = async (open: OpenProductOrders, period: string, suppliedPaise: number) => {
  const { system } = open;
  writeFileSync(join(system.settingsDir, 'ACCOUNTING_PORTAL_MODE'), 'readwrite');
  const asOwner = (sql: string) =>
    withConnection(system.addresses.migrateUrl, (client) => client.query(sql));
  const end = addMs(endOfIstDate(datesOf(period).to), 3 * 60_000);
  await system.advance(Math.ceil((end.getTime() - system.clock.now().getTime()) / 1000));
  const ask = await openPortal(open);
  const path = `/gold/month-end-close/${period}`;
  await asOwner(change('+ 1'));
  const refused = await ask('POST', path);
  await asOwner(change('- 1'));
  expect(Object(refused.body['error']).details).toMatchObject([
    { figure: 'products.amountPaise' },
    { figure: 'products.gstPaise' },
  ]);
  expect((await ask('GET', '/gold/month-end')).body['items']).toMatchObject([
    { period, canClose: true },
    {},
  ]);
  expect((await ask('POST', path)).status).toBe(201);
  const { body } = await ask('GET', path);
  const products = { orders: 2, amountPaise: suppliedPaise, returned: 1 };
  expect(body).toMatchObject({ closed: true, totals: { products }, differences: [] });
};
