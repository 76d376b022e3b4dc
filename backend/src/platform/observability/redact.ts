interface Scrub {
  readonly pattern: RegExp;
  readonly replacement: string;
  /** A text that every match contains. Searching for it is much cheaper than trying the pattern. */
  readonly sign?: string;
}

// A bare number right after `":` is a JSON number, such as an amount. Replacing it would break the
// line, and no personal number is ever stored as a JSON number.
const notJsonNumber = '(?<!":)(?<![\\w.,\\[-])';

// The forms of PAN, Aadhaar and account numbers belong to the domain, but stand here. If the module
// kyc passed them in, they would be missing until a process is wired, and in processes without
// modules (the sandbox, the tracing hook). A text could then leave before the scrub is complete.
//
// Every line is checked against all patterns. A pattern that ignores case costs ten times as much
// as a pattern that names both cases.
const scrubs: readonly Scrub[] = [
  { sign: 'eyJ', pattern: /\beyJ[\w-]+\.[\w-]+\.[\w-]*/gu, replacement: '[token]' },
  { pattern: /\b[Bb][Ee][Aa][Rr][Ee][Rr]\s+[\w.~+/=-]+/gu, replacement: 'Bearer [token]' },
  { sign: '@', pattern: /(?<=:\/\/)[^\s/"@:]*:[^\s/"@]+@/gu, replacement: '[credentials]@' },
  { sign: '@', pattern: /[\w.+-]+@[\w-]+\.[\w.-]+\w/gu, replacement: '[email]' },
  { pattern: /(?:\+|\b00|%2[Bb])91[\s-]?[6-9]\d{4}[\s-]?\d{5}(?!\d)/gu, replacement: '[phone]' },
  { pattern: /\b[A-Z]{5}\d{4}[A-Z]\b/gu, replacement: '[pan]' },
  {
    pattern: new RegExp(`${notJsonNumber}[2-9]\\d{3}[ -]?\\d{4}[ -]?\\d{4}(?!\\w)`, 'gu'),
    replacement: '[aadhaar]',
  },
  {
    pattern: new RegExp(`${notJsonNumber}(?:91)?[6-9]\\d{9}(?!\\w)`, 'gu'),
    replacement: '[phone]',
  },
  // These are bank accounts. A whole value in quotes is redacted by its key instead, since it may
  // be an amount.
  {
    pattern: new RegExp(`(?<!":")${notJsonNumber}\\d{9,18}(?!\\w)`, 'gu'),
    replacement: '[number]',
  },
  {
    sign: '=',
    pattern:
      /(?<=[?&][\w.-]*(?:[Ss]ignature|[Tt]oken|[Ss]ecret|[Cc]redential|[Kk]ey|[Oo]tp)=)[^&\s"\\]+/gu,
    replacement: '[secret]',
  },
];

/**
 * Removes, as the last line of defence, from a text (a message, a whole log line) everything that
 * looks like a token, a credential or signature in an address, an email, a phone, a PAN, an Aadhaar
 * number or a bank account. `redactKeys` removes values of known keys before.
 */
export const scrubText = (text: string): string => {
  let scrubbed = text;
  for (const { pattern, replacement, sign } of scrubs) {
    if (sign === undefined || scrubbed.includes(sign)) {
      scrubbed = scrubbed.replace(pattern, replacement);
    }
  }
  return scrubbed;
};

interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

const maxCauses = 4;

const codeOf = (error: Error): string | undefined => {
  if (!('code' in error)) return undefined;
  const { code } = error;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined;
};

/**
 * Returns only the frames of the stack. Its head repeats the message, which is scrubbed separately.
 */
const framesOf = (error: Error): string | undefined =>
  error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /u.test(line))
    .join('\n');

/**
 * Returns an error's message. A message of Prisma quotes the call with its arguments, which are
 * values of rows. Only the call's name and the fault, which comes last, are kept.
 */
const messageOf = ({ message }: Error): string => {
  const call = /^\s*(Invalid `[\w.$]+\(\)` invocation)/u.exec(message)?.[1];
  return call === undefined ? message : `${call}: ${message.trim().split('\n\n').at(-1)?.trim()}`;
};

/**
 * Describes an error for a log by its type, message, code, stack and causes. Other properties are
 * left out, since drivers put values of rows there (`detail`, `meta`).
 */
export const describeError = (error: unknown, causes = maxCauses): ErrorDescription => {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: scrubText(String(error)).slice(0, 2000) };
  }
  const code = codeOf(error);
  const stack = framesOf(error);
  return {
    type: error.name,
    message: scrubText(messageOf(error)).slice(0, 2000),
    ...(code !== undefined && { code }),
    ...(stack !== undefined && { stack }),
    ...(error.cause !== undefined &&
      causes > 0 && { cause: describeError(error.cause, causes - 1) }),
  };
};

const censor = '[redacted]';

/** Keys of secrets, in lower case without `-` and `_`. Keys are compared in this form. */
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
  'account',
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

/** Matches keys by their end, as in `refreshToken`, `client_secret` and `newPassword`. */
const secretEnding =
  /(?:token|secret|password|passwd|(?:api|auth|private)key|signature|otp|mpin|phone|accountnumber|keyring)$/u;

const knownKeys = new Map<string, boolean>();

/** Returns true for a key whose value is a secret or personal, in any case. */
export const isSecretKey = (key: string): boolean => {
  const cached = knownKeys.get(key);
  if (cached !== undefined) return cached;
  const plain = key.toLowerCase().replaceAll(/[-_]/gu, '');
  const isSecret = secretKeys.has(plain) || secretEnding.test(plain);
  // Keys come from code, but nothing stops data from becoming keys.
  if (knownKeys.size < 5000) knownKeys.set(key, isSecret);
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
 * Returns a copy of `fields` for a log. Values under secret or personal keys, at any depth and in
 * any case, become `[redacted]`. Errors become their plain description. Other objects than plain
 * data (requests, sockets, buffers) become the name of their kind.
 */
export const redactKeys = (fields: object): Record<string, unknown> => redactEntries(fields, 0);
