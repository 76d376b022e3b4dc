import { describe, expect } from 'vitest';
import { goodAddress, type OpenProductOrders } from '#test/support/open-product-orders.ts';
import { productOrdersTest } from '#test/support/product-orders-test.ts';
import { readPdf } from '#test/support/read-pdf.ts';
import type { Caller } from '#test/support/caller.ts';
import { formatRupees, paise } from '../../money/index.ts';

const it = productOrdersTest();
const way = ['CONFIRMED', 'PACKED', 'SHIPPED', 'DELIVERED', 'RETURNED'];

const place = async (open: OpenProductOrders, call: Caller, more: object = {}) => {
  const { status, body } = await open.order(call, [await open.product()], more);
  expect(status).toBe(201);
  return { id: String(body['id']), ...body };
};
const advanceTo = async (operator: Caller, id: string, last: string, from = 'PLACED') => {
  for (const status of way.slice(way.indexOf(from) + 1, way.indexOf(last) + 1)) {
    expect((await operator('PATCH', `/product-orders/${id}/status`, { status })).status).toBe(200);
  }
};
const numberOf = async (call: Caller, id: string) =>
  (await call('GET', `/product-orders/${id}`)).body['invoiceNumber'];
const fetchPdf = async (open: OpenProductOrders, userId: string, path: string) => {
  const answer = await open.fetch(userId, `/product-orders/${path}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/pdf');
  return Buffer.from(await answer.arrayBuffer());
};
const rupees = (value: unknown): string => formatRupees(paise(BigInt(Number(value))));

describe('the invoice of an order of jewellery', () => {
  it('exists once the goods are shipped, with its parties and both halves of GST', async ({
    open,
  }) => {
    const { userId, call } = await open.customer();
    const operator = await open.operator();
    await open.publish({ legalName: 'Example Gold Private Limited', gstin: '29ABCDE1234F1Z5' });
    const order = await place(open, call);
    await advanceTo(operator.call, order.id, 'PACKED');
    const path = `/product-orders/${order.id}/invoice`;
    expect(await call('GET', path)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    await advanceTo(operator.call, order.id, 'SHIPPED', 'PACKED');

    const file = await fetchPdf(open, userId, `${order.id}/invoice`);
    const texts = readPdf(file);
    const { itemsTotalPaise, gstPaise, deliveryFeePaise, totalPaise } = Object(order);
    const [cgst, sgst] = [Math.floor(gstPaise / 2), Math.ceil(gstPaise / 2)];
    for (const text of [
      'Tax invoice',
      `Number: ${String(await numberOf(call, order.id))}`,
      `Order: ${order.id}`,
      'Example Gold Private Limited',
      'GSTIN: 29ABCDE1234F1Z5',
      goodAddress.name,
      'Bengaluru, Karnataka 560001',
      'Place of supply: Karnataka',
      'Plain band',
      '7113',
      rupees(itemsTotalPaise),
      'CGST 1.500 %',
      rupees(cgst),
      rupees(sgst),
      rupees(deliveryFeePaise),
      rupees(totalPaise),
    ]) {
      expect(texts).toContain(text);
    }
    // Letters that the font does not have are transliterated.
    expect(texts.find((text) => text.startsWith('Flat 4, '))).toMatch(/^Flat 4, [ -~]+$/u);
    expect((await fetchPdf(open, userId, `${order.id}/invoice`)).equals(file)).toBe(true);
    // Facts that are published later do not change an invoice.
    await open.publish({ legalName: 'Another House Private Limited' });
    expect((await fetchPdf(open, userId, `${order.id}/invoice`)).equals(file)).toBe(true);
  });

  it('stays and gets a credit note when the goods are returned', async ({ open }) => {
    const { userId, call } = await open.customer();
    const operator = await open.operator();
    const { id } = await place(open, call);
    await advanceTo(operator.call, id, 'DELIVERED');
    const credit = `/product-orders/${id}/credit-note`;
    expect(await call('GET', credit)).toMatchObject({ status: 404 });
    await advanceTo(operator.call, id, 'RETURNED', 'DELIVERED');
    const { body } = await call('GET', `/product-orders/${id}`);
    const { invoiceNumber, creditNoteNumber } = Object(body);
    expect(invoiceNumber).toMatch(/^J\d{4}-\d{6}$/u);
    expect(creditNoteNumber).toMatch(/^C\d{4}-\d{6}$/u);
    const texts = readPdf(await fetchPdf(open, userId, `${id}/credit-note`));
    expect(texts).toEqual(expect.arrayContaining(['Credit note', `Number: ${creditNoteNumber}`]));
    expect(texts.some((text) => text.startsWith(`For invoice: ${invoiceNumber} of `))).toBe(true);
    expect((await call('GET', `/product-orders/${id}/invoice`)).status).toBe(200);
  });

  it('is not found by other customers, and a cancelled order has none', async ({ open }) => {
    const [owner, stranger] = [await open.customer(), await open.customer()];
    const operator = await open.operator();
    const [sent, cancelled] = [await place(open, owner.call), await place(open, owner.call)];
    await advanceTo(operator.call, sent.id, 'SHIPPED');
    await owner.call('POST', `/product-orders/${cancelled.id}/cancel`);
    const asks: readonly [Caller, string][] = [
      [stranger.call, sent.id],
      [owner.call, cancelled.id],
      [owner.call, open.system.random.uuid()],
    ];
    for (const [call, id] of asks) {
      for (const document of ['invoice', 'credit-note']) {
        const answer = await call('GET', `/product-orders/${id}/${document}`);
        expect(answer).toMatchObject({ status: 404, code: 'NOT_FOUND' });
      }
    }
  });

  it('can be fetched sixty times in ten minutes by a customer, and is then refused', async ({
    open,
  }) => {
    const { userId, call } = await open.customer();
    const operator = await open.operator();
    const { id } = await place(open, call);
    await advanceTo(operator.call, id, 'SHIPPED');
    const startedAt = open.system.clock.now();
    const window = { name: 'invoice_links', subjectId: userId, startedAt, uses: 59 };
    await open.system.db.useWindow.create({ data: window });
    expect((await call('GET', `/product-orders/${id}/invoice`)).status).toBe(200);
    expect(await call('GET', `/product-orders/${id}/invoice`)).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
    });
  });
});

describe('the numbers of invoices', () => {
  it('have no gap if twenty orders are shipped concurrently and some requests fail', async ({
    open,
  }) => {
    const operator = await open.operator();
    const orders = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { call } = await open.customer();
        return Promise.all(Array.from({ length: 4 }, () => place(open, call)));
      }),
    );
    const ids = orders.flat().map(({ id }) => id);
    await Promise.all(ids.map((id) => advanceTo(operator.call, id, 'PACKED')));
    const { db } = open.system;
    const before = await db.productInvoice.count({ where: { kind: 'INVOICE' } });
    const send = (id: string) =>
      operator.call('PATCH', `/product-orders/${id}/status`, { status: 'SHIPPED' });
    // Each request is sent twice. One of the two is refused and takes no number.
    const answers = await Promise.all([...ids, ...ids].map(send));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    const rows = await db.productInvoice.findMany({
      where: { kind: 'INVOICE' },
      orderBy: { serial: 'asc' },
    });
    expect(rows).toHaveLength(before + 20);
    expect(rows.map(({ serial }) => serial)).toEqual(rows.map((_, at) => at + 1));
  });

  it('restart on 1 April in IST', async ({ open }) => {
    const { call } = await open.customer();
    const operator = await open.operator();
    const { clock, db } = open.system;
    const [first, second] = [await place(open, call), await place(open, call)];
    for (const { id } of [first, second]) await advanceTo(operator.call, id, 'PACKED');
    const year = clock.now().getUTCFullYear() + 1;
    // 18:30 in UTC is midnight in IST.
    for (const [{ id }, moment] of [
      [first, `${year}-03-31T18:29:59.000Z`],
      [second, `${year}-03-31T18:30:00.000Z`],
    ] as const) {
      await open.system.advance(Math.ceil((Date.parse(moment) - clock.now().getTime()) / 1000));
      const again = await open.operator();
      await advanceTo(again.call, id, 'SHIPPED', 'PACKED');
    }
    const rows = await db.productInvoice.findMany({
      where: { orderId: { in: [first.id, second.id] } },
      orderBy: { issuedAt: 'asc' },
    });
    const yy = year % 100;
    expect(rows.map(({ financialYear }) => financialYear)).toEqual([year - 1, year]);
    expect(rows[1]).toMatchObject({ serial: 1, number: `J${yy}${yy + 1}-000001` });
  });

  it('are inserted only by the database', async ({ open }) => {
    const { call } = await open.customer();
    const operator = await open.operator();
    const { id } = await place(open, call);
    await advanceTo(operator.call, id, 'SHIPPED');
    const { db, random } = open.system;
    const row = await db.productInvoice.findFirstOrThrow({ where: { orderId: id } });
    const again = { ...row, id: random.uuid(), serial: row.serial + 1, number: 'J0000-000009' };
    await expect(db.productInvoice.create({ data: { ...again, supplier: {} } })).rejects.toThrow(
      'permission denied',
    );
    await expect(
      db.productInvoice.update({ where: { id: row.id }, data: { totalPaise: 1n } }),
    ).rejects.toThrow('permission denied');
  });
});
