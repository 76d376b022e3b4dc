import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openRunningSystem, type RunningSystem } from '#test/support/open-running-system.ts';
import type { Answer } from '#test/support/caller.ts';
import type { Call } from '#test/support/test-customer.ts';
import { addSeconds, createSystemClock } from '../../src/platform/clock/clock.ts';
import { istDate } from '../../src/platform/clock/ist.ts';
import { emptyBodies, hostileBodies, hostileTexts, hostileValues } from './hostile-values.ts';
import {
  fits,
  readRoutes,
  textFits,
  type DocumentedRoute,
  type JsonSchema,
} from './openapi-document.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

type Fields = Readonly<Record<string, unknown>>;

let system: RunningSystem;
/** A signed-in caller of each API, and nobody. */
let callers: Readonly<Record<'customer' | 'admin', { signedIn: Call; nobody: Call }>>;
/** Valid values of fields for which the schema alone does not give one. */
const samples: Record<string, unknown> = {
  phone: '+919812345678',
  otp: '000000',
  confirmation: 'DELETE',
  codes: ['sandbox'],
  code: 'sandbox',
  key: 'new-checkout',
  slug: 'terms',
  version: '2026-12',
  effectiveFrom: '2026-12-01',
  url: 'https://example.test/terms',
  imageUrl: 'https://example.test/banner.webp',
  linkUrl: '/gold',
  startsAt: '2026-12-01T00:00:00Z',
  endsAt: '2026-12-31T00:00:00Z',
  mpin: '4829',
  newMpin: '4829',
  email: 'nobody@example.test',
  unit: 'INR',
  amount: '1000',
  amount_inr: '1000',
  start_date: istDate(addSeconds(createSystemClock().now(), 86_400)),
  mandate_token: 'token-of-asha',
  pan: 'ABCPE1234F',
  aadhaar: '999941057058',
  pincode: '560001',
  dateOfBirth: '1990-01-31',
  dataBase64: '',
  contentType: 'image/png',
  minBuyPaise: 1000,
  maxBuyPaise: 20_000_000,
  dailyBuyPaise: 50_000_000,
  minSellPaise: 1000,
  maxSellPaise: 50_000_000,
  minSipPaise: 1000,
  maxSipPaise: 10_000_000,
  accountNumber: '123456789012',
  ifsc: 'HDFC0001234',
  items: [{ productId: randomUUID(), quantity: 1 }],
  shippingAddress: {
    name: 'Asha Rao',
    phone: '+919812345678',
    line1: '12 MG Road',
    city: 'Bengaluru',
    state: 'Karnataka',
    pincode: '560001',
  },
  expectedTotal: '1129.00',
  purityKarat: 22,
  weightGrams: '3.5',
  makingChargePct: 12.5,
  discountPct: 10,
  ratePerGram: '11326.33',
};

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==';

beforeAll(async () => {
  system = await openRunningSystem({ worker: 'none', withAdmin: true });
  const customer = await system.newCustomer();
  callers = {
    customer: { signedIn: customer.call, nobody: system.as(undefined) },
    admin: { signedIn: await system.signInAdmin(), nobody: system.as(undefined, 'admin') },
  };
  samples['dataBase64'] = png;
  const upload = async (kind: string): Promise<unknown> => {
    const document = { kind, contentType: 'image/png', dataBase64: png };
    return (await customer.call('POST', '/kyc/documents', document)).body['documentKey'];
  };
  samples['documentKey'] = await upload('PAN');
  samples['selfieKey'] = await upload('SELFIE');
});
afterAll(() => system.stop());

const sampleOf = (name: string, schema: JsonSchema): unknown => {
  if (name === 'idempotency_key' || name === 'idempotencyKey') return `hostile-${randomUUID()}`;
  if (name in samples) return samples[name];
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.format === 'uuid') return randomUUID();
  if (schema.type === 'boolean') return true;
  return schema.type === 'integer' ? (schema.minimum ?? 1) : 'some text';
};

/** Returns a valid body without optional ids, which would name resources that do not exist. */
const sampleBody = ({ body }: DocumentedRoute): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body?.properties ?? {})
      .filter(([name, { format }]) => format !== 'uuid' || body?.required?.includes(name) === true)
      .map(([name, schema]) => [name, sampleOf(name, schema)]),
  );

/** Valid values of parameters of paths that are no ids of ours. */
const pathSamples: Readonly<Record<string, string>> = {
  id: 'diwali-2026',
  name: 'entity.legal_name',
  reference: 'DG-7K3M9QXP',
};

const pathSampleOf = (name: string, schema: JsonSchema): unknown =>
  (schema.format === 'uuid' ? undefined : pathSamples[name]) ?? sampleOf(name, schema);

/** The path below the prefix, with good parameters but for those given. */
const pathOf = (route: DocumentedRoute, given: Readonly<Record<string, string>> = {}): string =>
  route.parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce(
      (path, { name, schema }) =>
        path.replace(
          `{${name}}`,
          given[name] ?? encodeURIComponent(String(pathSampleOf(name, schema))),
        ),
      route.path.replace(/^\/v1/u, ''),
    );

const apis = ['customer', 'admin'] as const;
const routesOf = (api: (typeof apis)[number]) => readRoutes(system.stack.urlOf(api));

const send = (
  api: (typeof apis)[number],
  route: DocumentedRoute,
  body?: unknown,
  path?: string,
) => {
  const { signedIn, nobody } = callers[api];
  const call = route.isPublic ? nobody : signedIn;
  return call(route.method, path ?? pathOf(route), body);
};

/** Some at a time; all have ended when it throws what the first of them threw. */
const each = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const left = [...items];
  const one = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: 6 }, one));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
};

interface Trial {
  readonly field: string;
  readonly body: Fields;
  readonly sent: unknown;
}

const trialsOf = (route: DocumentedRoute): { invalid: Trial[]; doubtful: Trial[] } => {
  const invalid: Trial[] = [];
  const doubtful: Trial[] = [];
  const required = new Set(route.body?.required);
  for (const [field, schema] of Object.entries(route.body?.properties ?? {})) {
    if (required.has(field)) {
      const { [field]: _left, ...body } = sampleBody(route);
      invalid.push({ field, body, sent: '(nothing)' });
    }
    for (const sent of hostileValues) {
      const trial = { field, body: { ...sampleBody(route), [field]: sent }, sent };
      (fits(schema, sent) ? doubtful : invalid).push(trial);
    }
  }
  return { invalid, doubtful };
};

/** An image is sent as JSON or as its base64 text, so that no text is malformed there by itself. */
const takesRawText = ({ path }: DocumentedRoute): boolean => path.endsWith('/image');

/** A 501 is an answer of the contract, perhaps with what it has written. */
const isFailure = ({ status }: Answer): boolean => status >= 500 && status !== 501;

const briefly = (value: unknown): string => JSON.stringify(value).slice(0, 80);

const expectRefused = (answer: Answer, { field, sent }: Trial): void => {
  // Of an object or a list it is a part that is named.
  const named = String(answer.field).startsWith(`${field}.`) ? field : answer.field;
  const said = { status: answer.status, code: answer.code, field: named };
  const refused = { status: 400, code: 'VALIDATION_FAILED', field };
  expect(said, `${field}: ${briefly(sent)}`).toEqual(refused);
};

/**
 * Wrong codes and passwords are counted and recorded; a refused key leaves nothing, but is seen on
 * its way.
 */
const counters = new Set([
  'otp_guard',
  'otp_code',
  'otp_send',
  'mpin_guard',
  'admin_login_guard',
  'audit_log',
  'audit_chain',
  'security_event',
  'idempotency_key',
]);

const withoutCounters = (prints: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(prints).filter(([table]) => !counters.has(table)));

describe.each(apis)('every body of the %s API', (api) => {
  it('takes the good values that the bad ones are put between', async () => {
    const routes = (await routesOf(api)).filter(({ body }) => body !== undefined);
    expect(routes.length).toBeGreaterThan(3);
    for (const route of routes) {
      const answer = await send(api, route, sampleBody(route));
      const said = { route: route.name, code: answer.code, field: answer.field };
      expect(said).not.toMatchObject({ code: 'VALIDATION_FAILED' });
      expect(isFailure(answer), `at ${route.name}`).toBe(false);
    }
  });

  it('what its schema does not take: 400, the field, and nothing written', async () => {
    let count = 0;
    for (const route of await routesOf(api)) {
      const { invalid } = trialsOf(route);
      const before = await system.fingerprint();
      await each(invalid, async (trial) => {
        const answer = await send(api, route, trial.body);
        expect(answer.status, `${route.name} ${trial.field}`).toBe(400);
        expectRefused(answer, trial);
      });
      expect(await system.fingerprint(), `at ${route.name}`).toEqual(before);
      count += invalid.length;
    }
    expect(count).toBeGreaterThan(200);
  });

  it('what its schema takes and nobody means: never a failure of ours', async () => {
    for (const route of await routesOf(api)) {
      const before = await system.fingerprint();
      let isTaken = false;
      await each(trialsOf(route).doubtful, async (trial) => {
        const answer = await send(api, route, trial.body);
        const said = `${route.name} ${trial.field}: ${briefly(trial.sent)} -> ${answer.status}`;
        expect(isFailure(answer), `at ${said}`).toBe(false);
        if (answer.status < 300 || answer.status === 501) isTaken = true;
        // The schema shows amounts as text or numbers: which of them are amounts, it can not.
        expect(trial.field === 'amount' ? answer.status : 400, `at ${said}`).toBe(400);
        const isRefused = answer.code === 'VALIDATION_FAILED';
        // An item of a list is named by its place in it.
        const [field] = String(answer.field).split('.');
        expect(isRefused ? field : trial.field, `at ${said}`).toBe(trial.field);
      });
      if (isTaken) continue;
      const after = await system.fingerprint();
      expect(withoutCounters(after), `at ${route.name}`).toEqual(withoutCounters(before));
    }
  });

  it('what is no object at all, or no JSON: 400, nothing written', async () => {
    const before = await system.fingerprint();
    for (const route of await routesOf(api)) {
      if (route.body === undefined || takesRawText(route)) continue;
      const isNeeded = (route.body.required ?? []).length > 0;
      const empty = emptyBodies.map((text) => ({ text, code: 'VALIDATION_FAILED' }));
      await each([...hostileBodies, ...(isNeeded ? empty : [])], async ({ text, code }) => {
        const answer = await send(api, route, text);
        const said = `${route.name} ${text}`;
        expect({ status: answer.status, code: answer.code }, `at ${said}`).toEqual({
          status: 400,
          code,
        });
      });
    }
    expect(await system.fingerprint()).toEqual(before);
  });

  it('what is too large: 413; what says that it is no JSON: 415', async () => {
    const before = await system.fingerprint();
    for (const route of await routesOf(api)) {
      if (route.body === undefined) continue;
      const large = await send(
        api,
        route,
        JSON.stringify({ a: 'x'.repeat(takesRawText(route) ? 8_000_000 : 5_000_000) }),
      );
      expect(large, `at ${route.name}`).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
      if (!route.isPublic) continue;
      const response = await fetch(system.stack.urlOf(api) + route.path, {
        method: route.method,
        headers: { 'content-type': 'text/plain', 'x-forwarded-for': '10.255.0.1' },
        body: JSON.stringify(sampleBody(route)),
      });
      expect(response.status, `at ${route.name}`).toBe(415);
    }
    expect(await system.fingerprint()).toEqual(before);
  });
});

describe.each(apis)('every query and path of the %s API', (api) => {
  it('a bad query is 400 with the parameter, and never a failure of ours', async () => {
    for (const route of await routesOf(api)) {
      const query = route.parameters.filter((parameter) => parameter.in === 'query');
      for (const { name, schema } of query) {
        await each(hostileTexts, async (text) => {
          const path = `${pathOf(route)}?${name}=${encodeURIComponent(text)}`;
          const answer = await send(api, route, undefined, path);
          const said = `${route.name} ${name}=${briefly(text)} -> ${answer.status}`;
          expect(answer.status, `at ${said}`).toBeLessThan(500);
          const isRefused = answer.status === 400 && answer.field === name;
          expect(isRefused || textFits(schema, text), `at ${said}`).toBe(true);
        });
        for (const odd of [`${name}=1&${name}=2`, `${name}[a]=1`, `${name}[]=1`]) {
          const answer = await send(api, route, undefined, `${pathOf(route)}?${odd}`);
          expect(answer.status, `${route.name} ${odd}`).toBeLessThan(500);
        }
      }
    }
  });

  it('pages are from 1 and hold 1 to 100', async () => {
    for (const route of await routesOf(api)) {
      if (!route.parameters.some(({ name }) => name === 'limit')) continue;
      for (const [name, value] of [
        ['page', '0'],
        ['limit', '0'],
        ['limit', '101'],
      ] as const) {
        const answer = await send(api, route, undefined, `${pathOf(route)}?${name}=${value}`);
        const refused = { status: 400, code: 'VALIDATION_FAILED', field: name };
        expect(answer, `${route.name} ${name}=${value}`).toMatchObject(refused);
      }
    }
  });

  it('a malformed id in a path is 404', async () => {
    const before = await system.fingerprint();
    for (const route of await routesOf(api)) {
      const names = route.parameters.filter(({ in: place }) => place === 'path');
      // A gateway's code, a push token and the names of banners and policies are no ids of ours.
      const isText =
        route.path.includes('/banners/') ||
        names.some(({ name }) => ['gateway', 'token', 'slug'].includes(name));
      if (names.length === 0 || isText) continue;
      const texts = hostileTexts.filter((text) => text !== '' && text !== '..' && text !== '%');
      await each(texts, async (text) => {
        const [name = ''] = names.map((parameter) => parameter.name);
        const path = pathOf(route, { [name]: encodeURIComponent(text) });
        const body = route.body === undefined ? undefined : sampleBody(route);
        const answer = await send(api, route, body, path);
        const said = `${route.name} ${briefly(text)}`;
        expect({ status: answer.status, code: answer.code }, `at ${said}`).toEqual({
          status: 404,
          code: 'NOT_FOUND',
        });
      });
    }
    expect(await system.fingerprint()).toEqual(before);
  });
});
