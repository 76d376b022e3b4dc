import * as fc from 'fast-check';
import { afterEach, expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { createSeveralGateways, gatewayFaults } from '#test/support/several-gateways.ts';
import { paymentMethods } from './payments.types.ts';

const codes = ['alpha', 'beta', 'gamma'];
const gateways = createSeveralGateways(codes);

const it = goldTest({ wrap: { gateways: gateways.wrapGateways } });

afterEach(() => {
  gateways.faults.clear();
  gateways.openCircuits.clear();
});

const anyCode = fc.constantFrom(...codes);
const anyCase = fc.record({
  disabled: fc.subarray(codes),
  openCircuits: fc.subarray(codes),
  faults: fc.dictionary(anyCode, fc.constantFrom(...gatewayFaults), { noNullPrototype: true }),
  defaultCode: anyCode,
  priority: fc.uniqueArray(anyCode),
  routes: fc.record({ upi: anyCode, card: anyCode }, { requiredKeys: [], noNullPrototype: true }),
  method: fc.constantFrom(...paymentMethods),
});
type AnyCase = typeof anyCase extends fc.Arbitrary<infer T> ? T : never;

const arrange = async (open: OpenGold, given: AnyCase): Promise<void> => {
  const { db } = open.database;
  const updatedAt = open.clock.now();
  await db.gatewaySetting.deleteMany();
  await db.gatewaySetting.createMany({
    data: given.disabled.map((code) => ({ code, enabled: false, updatedAt })),
  });
  const { defaultCode, priority, routes } = given;
  const data = { defaultCode, priority, routes };
  await db.gatewayRouting.update({ where: { id: 1 }, data });
  gateways.asked.length = 0;
  gateways.openCircuits.clear();
  for (const code of given.openCircuits) gateways.openCircuits.add(code);
  gateways.faults.clear();
  for (const [code, fault] of Object.entries(given.faults)) gateways.faults.set(code, fault);
};

/** Returns the gateways that are tried and the gateway of the payment, by the contract. */
const expectedOf = ({ disabled, openCircuits, faults, ...given }: AnyCase) => {
  const route = given.method === 'upi' || given.method === 'card' ? given.routes[given.method] : [];
  const steps = new Set([route ?? [], given.priority, given.defaultCode].flat());
  const usable = [...steps].filter(
    (code) => !disabled.includes(code) && !openCircuits.includes(code),
  );
  const taker = usable.find((code) => faults[code] === undefined);
  const tried = taker === undefined ? usable : usable.slice(0, usable.indexOf(taker) + 1);
  return { usable, taker, tried };
};

it('a buy tries exactly the usable gateways of any settings, in order, whichever gateway fails', async ({
  open,
}) => {
  const { id: userId, call } = await open.newCustomer();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(anyCase, async (given) => {
      await arrange(open, given);
      const { usable, taker, tried } = expectedOf(given);
      runs += 1;
      const quote = await call('POST', '/gold/quote', { unit: 'INR', amount: '100' });
      const body = {
        quote_id: quote.body.id,
        idempotency_key: `property-${userId}-${runs}`,
        method: given.method,
      };
      const before = await open.database.db.paymentOrder.count();
      const answer = await call('POST', '/payments/orders', body);
      // A gateway whose unknown outcome came quickly is queried once more, by the receipt.
      expect([...new Set(gateways.asked)]).toEqual(tried);
      const written = (await open.database.db.paymentOrder.count()) - before;
      expect(written).toBe(usable.length === 0 ? 0 : 1);
      const took = answer.status === 201 ? answer.body.gateway : answer.body.error.code;
      expect(took).toBe(taker ?? 'NO_USABLE_GATEWAY');

      // A repeat with the key, after the faults have ended, gives the stored order its gateway.
      await arrange(open, { ...given, faults: {}, openCircuits: [], disabled: [] });
      const repeat = await call('POST', '/payments/orders', body);
      expect(repeat.body).toMatchObject({ status: 'GATEWAY_ORDER_CREATED', amount_paise: 10_000 });
      expect((await open.database.db.paymentOrder.count()) - before).toBe(1);
    }),
    { numRuns: 12 },
  );
});
