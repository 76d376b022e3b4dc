import { describeError } from './describe-error.ts';

const censor = '[redacted]';

/** Keys in lower case without `-` and `_`, as they are compared. */
const secretKeys: ReadonlySet<string> = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'xportaltoken',
  'xgatewaysignature',
  'xsignature',
  'signature',
  'otp',
  'code2fa',
  'mpin',
  'pin',
  'newmpin',
  'oldmpin',
  'pepper',
  'pan',
  'aadhaar',
  'aadhar',
  'phone',
  'mobile',
  'email',
  'accountnumber',
  'vpa',
  'upi',
  'fullname',
  'holdername',
  'registeredname',
  'dateofbirth',
  'dob',
  'shippingaddress',
  'address',
  'rawbody',
  'database64',
]);

/** `refreshToken`, `client_secret`, `newPassword`: the end of a key says what it holds. */
const secretEnding = /(?:token|secret|password|passwd|apikey|privatekey|otp|mpin|phone|keyring)$/u;

const known = new Map<string, boolean>();

/** True for a key whose value is a secret or personal, however the key is cased. */
export const isSecretKey = (key: string): boolean => {
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const plain = key.toLowerCase().replaceAll(/[-_]/gu, '');
  const isSecret = secretKeys.has(plain) || secretEnding.test(plain);
  // Keys come from code, but nothing stops data from becoming keys.
  if (known.size < 5000) known.set(key, isSecret);
  return isSecret;
};

const maxDepth = 6;
const maxItems = 100;

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const redactObject = (value: object, depth: number): unknown => {
  if (value instanceof Error) return describeError(value);
  if (value instanceof Date) return value;
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (depth >= maxDepth) return '[deep]';
  if (Array.isArray(value)) {
    return value.slice(0, maxItems).map((item) => redactValue(item, depth + 1));
  }
  if (!isPlain(value)) return `[${value.constructor.name}]`;
  return redactEntries(value, depth + 1);
};

const redactValue = (value: unknown, depth: number): unknown => {
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'object' && value !== null ? redactObject(value, depth) : value;
};

const redactEntries = (fields: object, depth: number): Record<string, unknown> => {
  const redacted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    redacted[key] = isSecretKey(key) && value !== null ? censor : redactValue(value, depth);
  }
  return redacted;
};

/**
 * A copy of `fields` fit for a log: values under secret or personal keys (at any depth, however
 * the key is cased) become `[redacted]`, errors their plain description, and what is no plain data
 * (requests, sockets, buffers) just its kind.
 */
export const redactKeys = (fields: object): Record<string, unknown> => redactEntries(fields, 0);
