import { describe, expect } from 'vitest';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import { runningTest } from '#test/support/running-test.ts';
import { findLeaks } from '#test/support/invariants-log.ts';
import { findViolations } from '#test/support/invariants.ts';

const it = runningTest()
  .extend('buyer', { scope: 'file' }, ({ system }) => system.newCustomer())
  .extend('buy', { scope: 'file' }, async ({ system, buyer }) => {
    const buy = await buyer.buy('1000');
    await system.sandbox.pay(buy.gatewayOrderId);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    await system.check();
    return buy;
  });
// Each comparison begins with a bought order that agrees with the books of others.
it.beforeAll(({ buy: _buy }) => undefined);

const said = async (system: RunningSystem): Promise<string[]> => {
  const { databaseUrl } = system.stack.database;
  const found = await findViolations({ databaseUrl, sandboxUrl: system.sandbox.url });
  return found.map(({ says }) => says);
};

describe('the comparison with the books of others tells of', () => {
  it('gold that the provider does not have', async ({ system, buy }) => {
    await system.sandbox.setTransaction(buy.txId, 2);
    const broken = await said(system);
    await system.sandbox.setTransaction(buy.txId, 1);
    expect(broken).toEqual([
      expect.stringContaining('is one trade'),
      expect.stringContaining("provider's balance"),
    ]);
    expect(await said(system)).toEqual([]);
  });

  it('gold that only the provider has', async ({ system, buyer }) => {
    const other = await buyer.buy('1000');
    await system.sandbox.setTransaction(other.txId, 1);
    const broken = await said(system);
    await system.sandbox.setTransaction(other.txId, 0);
    expect(broken).toEqual([expect.stringContaining('every trade at the provider')]);
  });

  it('money that only the gateway has, until it is told', async ({ system, buyer }) => {
    const other = await buyer.buy('1000');
    const payment = await system.sandbox.pay(other.gatewayOrderId, { deliver: 'none' });
    expect(await said(system)).toEqual([
      expect.stringContaining('as it is at the gateway'),
      expect.stringContaining('all that the gateway captured'),
    ]);
    await buyer.verify(other.paymentOrderId, payment);
    await buyer.becomes(other.orderId, 'ALLOCATED');
    expect(await said(system)).toEqual([]);
  });
});

describe('the look through a log tells of', () => {
  it.each([
    ['+919812345678', 'a phone number'],
    ['to 919812345678 sent', 'a phone number'],
    ['pan ABCPE1234F', 'a PAN'],
    ['Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', 'a token'],
    ['aadhaar 9999 4105 7058', 'an Aadhaar number'],
    ['the code is 493817', '"493817"'],
  ])('%s', (line, name) => {
    const found = findLeaks(`{"msg":"fine"}\n${line}`, ['493817']);
    expect(found).toEqual([expect.stringContaining(name)]);
  });

  it('nothing in what has no secret', () => {
    const line = '{"time":1790000000000,"orderId":"0199a000-0000-7000-8000-000000000000","ms":12}';
    expect(findLeaks(line)).toEqual([]);
  });
});
