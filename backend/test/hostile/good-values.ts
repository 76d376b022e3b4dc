import { randomUUID } from 'node:crypto';
import { addSeconds, createSystemClock } from '../../src/platform/clock/clock.ts';
import { istDate } from '../../src/platform/clock/ist.ts';
import type { DocumentedRoute, JsonSchema } from './openapi-document.ts';

/** Returns the IST day that is so many days from today. */
const dayAfter = (days: number): string =>
  istDate(addSeconds(createSystemClock().now(), days * 86_400));

/** Valid values of fields for which the schema alone does not give one. */
const samples: Readonly<Record<string, unknown>> = {
  phone: '+919812345678',
  otp: '000000',
  confirmation: 'DELETE',
  codes: ['sandbox'],
  code: 'sandbox',
  key: 'new-checkout',
  slug: 'terms',
  version: '2026-12',
  effectiveFrom: dayAfter(7),
  url: 'https://example.test/terms',
  imageUrl: 'https://example.test/banner.webp',
  linkUrl: '/gold',
  startsAt: `${dayAfter(7)}T00:00:00Z`,
  endsAt: `${dayAfter(37)}T00:00:00Z`,
  mpin: '4829',
  newMpin: '4829',
  currentMpin: '4829',
  email: 'nobody@example.test',
  contact: 'nobody@example.test',
  adminId: null,
  currentPassword: 'some other text',
  newPassword: 'a stable for every horse',
  unit: 'INR',
  amount: '1000',
  amount_inr: '1000',
  start_date: dayAfter(1),
  mandate_token: 'token-of-asha',
  mandate_max_inr: '5000',
  mandate_valid_until: dayAfter(3 * 365),
  due_at: `${dayAfter(7)}T03:30:00.000Z`,
  until: '2026-01-15T09:30:00.000Z',
  receivedOn: '2026-01-20',
  expiresOn: dayAfter(365),
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

/** Valid values of parameters of paths that are no ids of ours. */
const pathSamples: Readonly<Record<string, string>> = {
  id: 'diwali-2026',
  name: 'entity.legal_name',
  reference: 'DG-7K3M9QXP',
};

/** Returns true for a number that is written as text, as that of a job is. */
const isNumber = ({ pattern }: JsonSchema): boolean => pattern?.startsWith('^[1-9]\\d') === true;

/** Good input of any documented route, into which a test puts what is hostile. */
export interface GoodValues {
  /** A valid body without optional ids, which would name resources that do not exist. */
  bodyOf(route: DocumentedRoute): Record<string, unknown>;
  /** The path below the prefix, with good parameters but for those given. */
  pathOf(route: DocumentedRoute, given?: Readonly<Record<string, string>>): string;
}

/** Creates them. `known` are values of fields that only the running system can give. */
export const createGoodValues = (known: Readonly<Record<string, unknown>>): GoodValues => {
  const given: Readonly<Record<string, unknown>> = { ...samples, ...known };
  const sampleOf = (name: string, schema: JsonSchema): unknown => {
    if (name === 'idempotency_key' || name === 'idempotencyKey') return `hostile-${randomUUID()}`;
    if (name in given) return given[name];
    if (schema.enum !== undefined) return schema.enum[0];
    if (schema.format === 'uuid') return randomUUID();
    if (schema.type === 'boolean') return true;
    return schema.type === 'integer' ? (schema.minimum ?? 1) : 'some text';
  };
  const pathSampleOf = (name: string, schema: JsonSchema): unknown =>
    isNumber(schema)
      ? '7'
      : ((schema.format === 'uuid' ? undefined : pathSamples[name]) ?? sampleOf(name, schema));
  return {
    bodyOf: ({ body }) =>
      Object.fromEntries(
        Object.entries(body?.properties ?? {})
          .filter(
            ([name, { format }]) => format !== 'uuid' || body?.required?.includes(name) === true,
          )
          .map(([name, schema]) => [name, sampleOf(name, schema)]),
      ),
    pathOf: (route, chosen = {}) =>
      route.parameters
        .filter((parameter) => parameter.in === 'path')
        .reduce(
          (path, { name, schema }) =>
            path.replace(
              `{${name}}`,
              chosen[name] ?? encodeURIComponent(String(pathSampleOf(name, schema))),
            ),
          route.path.replace(/^\/v1/u, ''),
        ),
  };
};
