import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Closable } from '../../src/adapters/adapter-deps.ts';
import { createGoldProvider } from '../../src/adapters/gold-provider/create-gold-provider.ts';
import type { GoldProvider } from '../../src/adapters/gold-provider/port.ts';
import { startAdapterFixture, valueOf, type AdapterFixture } from './adapter-fixture.ts';

let fixture: AdapterFixture;
let provider: GoldProvider & Closable;

const customer = { phone: '+919876543210', name: 'Asha Rao', pincode: '560001' };

const price = async () => valueOf(await provider.price());

const register = async () => valueOf(await provider.register(customer)).providerUserId;

beforeAll(async () => {
  fixture = await startAdapterFixture('safegold');
});
afterAll(() => fixture.sandbox.stop());

beforeEach(async () => {
  await fixture.control('DELETE', '/faults');
  await fixture.control('PUT', '/price', {
    buyPaise: 1_234_567,
    sellPaise: 1_200_001,
    spotPaise: 1_222_222,
  });
  provider = createGoldProvider(fixture.env, fixture.deps);
});
afterEach(() => provider.close());

describe('the price', () => {
  test('has both rates, the tax and the spot price that configuration names', async () => {
    expect(await price()).toMatchObject({
      buyPaise: 1_234_567n,
      sellPaise: 1_200_001n,
      spotPaise: 1_222_222n,
      buyTaxBps: 300n,
      validUntil: new Date(fixture.clock.now().getTime() + 420_000),
    });
  });

  test('takes the half-up mean for spot where no field is named', async () => {
    const { SAFEGOLD_SPOT_FIELD: _unused, ...env } = fixture.env;
    const plain = createGoldProvider(env, fixture.deps);
    expect(valueOf(await plain.price()).spotPaise).toBe(1_217_284n);
    await plain.close();
  });

  test('is unreadable where the named field is missing', async () => {
    const other = createGoldProvider(
      { ...fixture.env, SAFEGOLD_SPOT_FIELD: 'nowhere' },
      fixture.deps,
    );
    expect(await other.price()).toMatchObject({ kind: 'unknown' });
    await other.close();
  });

  test('survives one failure, for it is safe to ask again', async () => {
    await fixture.fault('buy-price', 'error');
    expect(await price()).toMatchObject({ buyPaise: 1_234_567n });
  });
});

describe('a customer', () => {
  test('is the same provider user each time the phone is registered', async () => {
    const id = await register();
    expect(valueOf(await provider.register(customer))).toEqual({
      providerUserId: id,
      goldBalanceGrams: 0n,
    });
    expect(valueOf(await provider.getUser(id)).providerUserId).toBe(id);
  });

  test("can be asked about, with the provider's own no for an unknown one", async () => {
    expect(await provider.getUser('1/../2')).toMatchObject({ kind: 'refused' });
    expect(
      await provider.updateKyc({ providerUserId: await register(), pan: 'ABCPE1234F' }),
    ).toEqual({
      kind: 'done',
      value: undefined,
    });
  });
});

test('a wrong token is told apart from a refusal of the request', async () => {
  const unauthorised = createGoldProvider(
    { ...fixture.env, SAFEGOLD_TOKEN: 'x'.repeat(20) },
    fixture.deps,
  );
  expect(await unauthorised.price()).toMatchObject({ kind: 'refused', code: 'NOT_AUTHORISED' });
  await unauthorised.close();
});
