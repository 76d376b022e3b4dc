import { describe, expect, it } from 'vitest';
import { openAllocationScenario } from '#test/support/allocation-scenario.ts';

const scenario = openAllocationScenario();

const fetchInvoice = () => {
  const { call, orderId } = scenario.bought;
  return call('GET', `/gold/orders/${orderId}/invoice`);
};

describe('the invoice of an order', () => {
  it("is the provider's own link, which is fetched on request and never logged", async () => {
    await scenario.allocate();
    const { status, body } = await fetchInvoice();
    expect(status).toBe(200);
    const file = await fetch(body.url);
    expect(file.headers.get('content-type')).toBe('application/pdf');
    expect(scenario.open.logged()).not.toContain(body.url);
    const { id: strangerId } = await scenario.open.newCustomer();
    const path = `/gold/orders/${scenario.bought.orderId}/invoice`;
    expect((await scenario.open.as(strangerId)('GET', path)).status).toBe(404);
  });

  it('is 404 without a call to the provider before the gold is allocated', async () => {
    const before = (await scenario.open.journal('invoice')).length;
    expect((await fetchInvoice()).body.error.code).toBe('NOT_FOUND');
    expect((await scenario.open.journal('invoice')).length).toBe(before);
  });

  it('is 404 while the provider has no invoice', async () => {
    await scenario.allocate();
    const { orderId: id, txId } = scenario.bought;
    const { goldOrder } = scenario.open.database.db;
    await goldOrder.update({ where: { id }, data: { providerTxId: `${txId}0` } });
    expect((await fetchInvoice()).body.error.code).toBe('NOT_FOUND');
    await goldOrder.update({ where: { id }, data: { providerTxId: txId } });
  });

  it.each(['error', 'reset', 'malformed'])(
    'is 502 if the provider answers with %s',
    async (fault) => {
      await scenario.allocate();
      await scenario.open.fault('invoice', fault, { times: 10 });
      const { status, body } = await fetchInvoice();
      expect({ status, code: body.error.code }).toEqual({
        status: 502,
        code: 'PROVIDER_UNAVAILABLE',
      });
    },
  );

  it('is limited to sixty requests of a customer in ten minutes', async () => {
    await scenario.allocate();
    const { open, bought } = scenario;
    const window = {
      name: 'invoice_links',
      subjectId: bought.userId,
      startedAt: open.clock.now(),
      uses: 59,
    };
    await open.database.db.useWindow.create({ data: window });
    expect((await fetchInvoice()).status).toBe(200);
    const asked = (await open.journal('invoice')).length;
    const refused = await fetchInvoice();
    expect({ status: refused.status, code: refused.body.error.code }).toEqual({
      status: 429,
      code: 'RATE_LIMITED',
    });
    expect(refused.headers.get('retry-after')).toBe('600');
    // A request for another customer's order is not counted and causes no call.
    const { id: strangerId } = await open.newCustomer();
    const path = `/gold/orders/${bought.orderId}/invoice`;
    expect((await open.as(strangerId)('GET', path)).status).toBe(404);
    expect((await open.journal('invoice')).length).toBe(asked);
    await open.advance(600);
    expect((await fetchInvoice()).status).toBe(200);
  });
});

it('an order shows the two halves of its GST, with CGST rounded down', async () => {
  const { call, orderId } = scenario.bought;
  const read = async () => (await call('GET', `/gold/orders/${orderId}`)).body;
  const { gst_paise: gst, cgst_paise: cgst, sgst_paise: sgst } = await read();
  expect([cgst, sgst]).toEqual([Math.floor(gst / 2), Math.ceil(gst / 2)]);
});
