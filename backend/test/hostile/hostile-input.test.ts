import { describe, expect } from 'vitest';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import { runningTest } from '#test/support/running-test.ts';
import type { Answer } from '#test/support/caller.ts';
import { createGoodValues } from './good-values.ts';
import {
  emptyBodies,
  essentialTexts,
  hidingTexts,
  hostileBodies,
  hostileTexts,
} from './hostile-values.ts';
import {
  isFreeText,
  readRoutes,
  textFits,
  type DocumentedRoute,
  type JsonSchema,
} from './openapi-document.ts';
import { createRepeats, trialsOf, type Trial } from './trials.ts';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==';

const apis = ['customer', 'admin'] as const;

const it = runningTest({ worker: 'none', withAdmin: true })
  // A signed-in caller of each API, and nobody.
  .extend('callers', { scope: 'file' }, async ({ system }) => ({
    customer: { signedIn: (await system.newCustomer()).call, nobody: system.as(undefined) },
    admin: { signedIn: await system.signInAdmin(), nobody: system.as(undefined, 'admin') },
  }))
  .extend('good', { scope: 'file' }, async ({ callers }) => {
    const upload = async (kind: string): Promise<unknown> => {
      const document = { kind, contentType: 'image/png', dataBase64: png };
      const { body } = await callers.customer.signedIn('POST', '/kyc/documents', document);
      return body['documentKey'];
    };
    return createGoodValues({
      dataBase64: png,
      documentKey: await upload('PAN'),
      selfieKey: await upload('SELFIE'),
    });
  })
  .extend(
    'send',
    { scope: 'file' },
    ({ callers, good }) =>
      (api: (typeof apis)[number], route: DocumentedRoute, body?: unknown, path?: string) => {
        const { signedIn, nobody } = callers[api];
        const call = route.isPublic ? nobody : signedIn;
        return call(route.method, path ?? good.pathOf(route), body);
      },
  );

const routesOf = (system: RunningSystem, api: (typeof apis)[number]) =>
  readRoutes(system.stack.urlOf(api));

/** Runs some at a time. All have ended when it throws what the first of them threw. */
const each = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const left = [...items];
  const one = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: 6 }, one));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
};

/** An image is sent as JSON or as its base64 text, so that no text is malformed there by itself. */
const takesRawText = ({ path }: DocumentedRoute): boolean => path.endsWith('/image');

/** A webhook's body is its sender's, so that no schema has it. */
const asksForNoBody = ({ method, path, body }: DocumentedRoute): boolean =>
  method !== 'GET' && body === undefined && !path.includes('/webhooks/');

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

/** A preferred gateway that nobody knows is no error. Its code is kept and shown nowhere. */
const isPreference = (field: string): boolean => field === 'gateway';

/** A password is kept as it was typed and shown to nobody. */
const isHeldToTheRule = ([field, schema]: [string, JsonSchema]): boolean =>
  isFreeText(schema) && !/password/iu.test(field) && !isPreference(field);

/**
 * Wrong codes and passwords are counted and recorded. A refused key leaves nothing, but is seen on
 * its way.
 */
const counters = new Set([
  'otp_guard',
  'sign_in_guard',
  'address_refusal',
  'otp_code',
  'otp_send',
  'mpin_guard',
  'admin_login_caller',
  'admin_login_guard',
  'audit_log',
  'audit_chain',
  'security_event',
  'idempotency_key',
]);

const withoutCounters = (prints: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(prints).filter(([table]) => !counters.has(table)));

describe.each(apis)('every body of the %s API', (api) => {
  it('takes the good values that the bad ones are put between', async ({ system, good, send }) => {
    const routes = (await routesOf(system, api)).filter(({ body }) => body !== undefined);
    expect(routes.length).toBeGreaterThan(3);
    for (const route of routes) {
      const answer = await send(api, route, good.bodyOf(route));
      const said = { route: route.name, code: answer.code, field: answer.field };
      expect(said).not.toMatchObject({ code: 'VALIDATION_FAILED' });
      expect(isFailure(answer), `at ${route.name}`).toBe(false);
    }
  });

  it('what its schema does not take: 400, the field, and nothing written', async ({
    system,
    good,
    send,
  }) => {
    let count = 0;
    const isRepeat = createRepeats();
    const before = await system.fingerprint();
    for (const route of await routesOf(system, api)) {
      const { invalid } = trialsOf(route, () => good.bodyOf(route), isRepeat);
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

  it('what its schema takes and nobody means: never a failure of ours', async ({
    system,
    good,
    send,
  }) => {
    const isRepeat = createRepeats();
    let before = await system.fingerprint();
    for (const route of await routesOf(system, api)) {
      let isTaken = false;
      await each(trialsOf(route, () => good.bodyOf(route), isRepeat).doubtful, async (trial) => {
        const answer = await send(api, route, trial.body);
        const said = `${route.name} ${trial.field}: ${briefly(trial.sent)} -> ${answer.status}`;
        expect(isFailure(answer), `at ${said}`).toBe(false);
        if (answer.status < 300 || answer.status === 501) isTaken = true;
        // The schema shows amounts as text or numbers: which of them are amounts, it cannot.
        if (isPreference(trial.field)) return;
        expect(trial.field === 'amount' ? answer.status : 400, `at ${said}`).toBe(400);
        const isRefused = answer.code === 'VALIDATION_FAILED';
        // An item of a list is named by its place in it.
        const [field] = String(answer.field).split('.');
        expect(isRefused ? field : trial.field, `at ${said}`).toBe(trial.field);
      });
      const after = await system.fingerprint();
      const expected = isTaken ? after : before;
      expect(withoutCounters(after), `at ${route.name}`).toEqual(withoutCounters(expected));
      before = after;
    }
  });

  it('what hides something in a text: 400, the field, and nothing written', async ({
    system,
    good,
    send,
  }) => {
    let count = 0;
    const before = await system.fingerprint();
    for (const route of await routesOf(system, api)) {
      const texts = Object.entries(route.body?.properties ?? {}).filter(isHeldToTheRule);
      for (const [field] of texts) {
        await each(hidingTexts, async (sent) => {
          const body = { ...good.bodyOf(route), [field]: sent };
          const answer = await send(api, route, body);
          expect(answer.status, `${route.name} ${field}: ${briefly(sent)}`).toBe(400);
          expectRefused(answer, { field, body, sent });
        });
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(5);
    expect(withoutCounters(await system.fingerprint())).toEqual(withoutCounters(before));
  });

  it('what is no object at all, or no JSON: 400, nothing written', async ({ system, send }) => {
    const before = await system.fingerprint();
    for (const route of await routesOf(system, api)) {
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

  it('what is no JSON, where no body is asked for: 400, nothing written', async ({
    system,
    send,
  }) => {
    const before = await system.fingerprint();
    const malformed = hostileBodies.filter(({ code }) => code === 'MALFORMED_JSON');
    const routes = (await routesOf(system, api)).filter(asksForNoBody);
    expect(routes.length).toBeGreaterThan(3);
    for (const route of routes) {
      await each(malformed, async ({ text, code }) => {
        const { status, code: said } = await send(api, route, text);
        expect({ status, code: said }, `at ${route.name} ${text}`).toEqual({ status: 400, code });
      });
    }
    expect(await system.fingerprint()).toEqual(before);
  });

  it('what is too large: 413; what says that it is no JSON: 415', async ({
    system,
    good,
    send,
  }) => {
    const before = await system.fingerprint();
    for (const route of await routesOf(system, api)) {
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
        body: JSON.stringify(good.bodyOf(route)),
      });
      expect(response.status, `at ${route.name}`).toBe(415);
    }
    expect(await system.fingerprint()).toEqual(before);
  });
});

describe.each(apis)('every query and path of the %s API', (api) => {
  it('a bad query is 400 with the parameter, and never a failure of ours', async ({
    system,
    good,
    send,
  }) => {
    let count = 0;
    const isRepeat = createRepeats();
    for (const route of await routesOf(system, api)) {
      const query = route.parameters.filter((parameter) => parameter.in === 'query');
      for (const { name, schema } of query) {
        const texts = isRepeat(schema) ? essentialTexts : hostileTexts;
        await each(texts, async (text) => {
          const path = `${good.pathOf(route)}?${name}=${encodeURIComponent(text)}`;
          const answer = await send(api, route, undefined, path);
          const said = `${route.name} ${name}=${briefly(text)} -> ${answer.status}`;
          expect(answer.status, `at ${said}`).toBeLessThan(500);
          const isRefused = answer.status === 400 && answer.field === name;
          expect(isRefused || textFits(schema, text), `at ${said}`).toBe(true);
        });
        for (const odd of [`${name}=1&${name}=2`, `${name}[a]=1`, `${name}[]=1`]) {
          const answer = await send(api, route, undefined, `${good.pathOf(route)}?${odd}`);
          expect(answer.status, `${route.name} ${odd}`).toBeLessThan(500);
        }
        count += texts.length;
      }
    }
    expect(count).toBeGreaterThan(200);
  });

  it('pages are from 1 and hold 1 to 100', async ({ system, good, send }) => {
    let count = 0;
    for (const route of await routesOf(system, api)) {
      if (!route.parameters.some(({ name }) => name === 'limit')) continue;
      for (const [name, value] of [
        ['page', '0'],
        ['limit', '0'],
        ['limit', '101'],
      ] as const) {
        const answer = await send(api, route, undefined, `${good.pathOf(route)}?${name}=${value}`);
        const refused = { status: 400, code: 'VALIDATION_FAILED', field: name };
        expect(answer, `${route.name} ${name}=${value}`).toMatchObject(refused);
      }
      count += 1;
    }
    expect(count).toBeGreaterThan(5);
  });

  it('a malformed id in a path is 404', async ({ system, good, send }) => {
    let count = 0;
    const before = await system.fingerprint();
    const isRepeat = createRepeats();
    for (const route of await routesOf(system, api)) {
      const names = route.parameters.filter(({ in: place }) => place === 'path');
      // A gateway's code, a push token and the names of banners and policies are no ids of ours.
      const isText =
        route.path.includes('/banners/') ||
        names.some(({ name }) => ['gateway', 'token', 'slug'].includes(name));
      const [id] = names;
      if (id === undefined || isText) continue;
      const { name, schema } = id;
      const texts = isRepeat(schema) ? essentialTexts : hostileTexts;
      const ids = texts.filter((text) => text !== '' && text !== '..' && text !== '%');
      await each(ids, async (text) => {
        const path = good.pathOf(route, { [name]: encodeURIComponent(text) });
        const body = route.body === undefined ? undefined : good.bodyOf(route);
        const answer = await send(api, route, body, path);
        const said = `${route.name} ${briefly(text)}`;
        expect({ status: answer.status, code: answer.code }, `at ${said}`).toEqual({
          status: 404,
          code: 'NOT_FOUND',
        });
      });
      count += ids.length;
    }
    expect(count).toBeGreaterThan(80);
    expect(await system.fingerprint()).toEqual(before);
  });
});
