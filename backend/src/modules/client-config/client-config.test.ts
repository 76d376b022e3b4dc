import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { paise } from '../../money/index.ts';
import { openCustomerApi, type OpenCustomerApi } from '#test/support/open-customer-api.ts';
import { eventually } from '#test/support/eventually.ts';
import { defaultLimits } from '../settings/index.ts';

let open: OpenCustomerApi;

beforeAll(async () => {
  open = await openCustomerApi();
});

afterAll(() => open.close());

const get = (headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${open.url}/config`, { headers });
const read = async (headers?: Record<string, string>) =>
  (await (await get(headers)).json()) as Record<string, unknown>; // the view

const now = () => open.system.clock.now();

describe('the configuration of clients', () => {
  it('has limits, gates and the amounts of plans and deliveries for all clients', async () => {
    const response = await get();
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=10');
    expect(response.headers.get('vary')).toContain('Authorization');
    expect(await response.json()).toEqual({
      limits: Object.fromEntries(
        Object.entries(defaultLimits).map(([name, value]) => [name, Number(value)]),
      ),
      dailyBuyRemainingPaise: null,
      sip: {
        minPaise: 1000,
        maxPaise: 10_000_000,
        mandateMaxPaise: 1_500_000,
        frequencies: ['DAILY', 'WEEKLY', 'MONTHLY'],
        minInstallments: 1,
        maxInstallments: 240,
      },
      delivery: { feePaise: 9900, freeFromPaise: 500_000 },
      flags: {},
      banners: [],
      gates: { checkout: 'OPEN', buy: 'OPEN', sell: 'OPEN', sip: 'OPEN' },
      minimumAppVersion: null,
    });
  });

  it('has a tag, and is answered with 304 for a client that already has it', async () => {
    const etag = (await get()).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/u);
    const again = await get({ 'if-none-match': `"other", W/${etag}` });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect(again.headers.get('etag')).toBe(etag);
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('soon shows public flags, live banners and a closed gate', async () => {
    const { db } = open.system;
    const flag = { enabled: true, updatedAt: now() };
    await db.featureFlag.create({ data: { key: 'hidden', ...flag } });
    await db.featureFlag.create({ data: { key: 'newCheckout', isPublic: true, ...flag } });
    const banner = { title: 'Diwali', active: true, createdAt: now(), updatedAt: now() };
    await db.banner.create({ data: { id: 'diwali', ...banner } });
    await db.banner.create({ data: { id: 'over', ...banner, endsAt: now() } });
    await writeFile(join(open.system.settingsDir, 'DIGITAL_SELL_ENABLED'), 'false');
    await eventually(async () => {
      const { gates } = await read();
      return (gates as { sell: string }).sell === 'CLOSED';
    });
    expect(await read()).toMatchObject({
      flags: { newCheckout: true },
      banners: [{ id: 'diwali' }],
      gates: { checkout: 'OPEN', buy: 'OPEN', sell: 'CLOSED', sip: 'OPEN' },
    });
  });
});

describe("a customer's own configuration", () => {
  it('shows the remaining daily amount, and is not cached by others', async () => {
    const person = await open.knownPerson();
    const headers = { authorization: `Bearer ${person.token}` };
    const first = await get(headers);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    expect((await read(headers))['dailyBuyRemainingPaise']).toBe(50_000_000);
    await open.buy(person, '1500.50');
    expect((await read(headers))['dailyBuyRemainingPaise']).toBe(50_000_000 - 150_050);
    const etag = first.headers.get('etag') ?? '';
    expect((await get({ ...headers, 'if-none-match': etag })).status).toBe(200);
    expect((await read())['dailyBuyRemainingPaise']).toBeNull();
  });

  it('never shows less than zero after the limit was lowered', async () => {
    const person = await open.knownPerson();
    await open.buy(person, '2000');
    await open.system.db.limitsSetting.update({
      where: { id: 1 },
      data: { dailyBuyPaise: paise(100_000n), updatedAt: now() },
    });
    const headers = { authorization: `Bearer ${person.token}` };
    await eventually(async () => {
      expect((await read(headers))['dailyBuyRemainingPaise']).toBe(0);
    });
  });

  it('is refused for an invalid token, so that the client refreshes it', async () => {
    const response = await get({ authorization: 'Bearer nonsense' });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: 'UNAUTHENTICATED' } });
  });
});
