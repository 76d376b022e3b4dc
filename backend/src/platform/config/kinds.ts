import { z } from 'zod';
import { isPooled } from './pooled-address.ts';

/** The kinds of environment variable, each parsed from text. */

/** Parses a whole number between `min` and `max`, with a default. */
export const integer = (defaultValue: number, min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d{1,15}$/u, 'must be a whole number')
    .default(String(defaultValue))
    .transform(Number)
    .pipe(z.number().int().min(min).max(max));

/** Parses a whole number between `min` and `max`. Returns undefined if the text is absent. */
export const optionalInteger = (min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d{1,15}$/u, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().int().min(min).max(max))
    .optional();

/** `true` or `false`. */
export const flag = (defaultValue: boolean) =>
  z
    .enum(['true', 'false'])
    .default(defaultValue ? 'true' : 'false')
    .transform((text) => text === 'true');

/** Parses `true` or `false`. Returns undefined if the text is absent. */
export const optionalFlag = () =>
  z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional();

/** Parses a comma-separated list without empty entries. */
export const list = (defaultValue: string) =>
  z
    .string()
    .default(defaultValue)
    .transform((text) =>
      text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    );

/** Parses a comma-separated list of `host:port`. A host without a port has the usual port. */
export const addresses = (usualPort: number) =>
  list('').pipe(
    z.array(
      z
        .string()
        .regex(/^(?:[\w.-]+|\[[\da-fA-F:]+\])(?::\d{1,5})?$/u, 'must be host:port')
        .transform((entry) => {
          const { hostname, port } = new URL(`redis://${entry}`);
          return { host: hostname.replaceAll(/[[\]]/gu, ''), port: Number(port || usualPort) };
        }),
    ),
  );

/** Requires a text. */
export const text = () => z.string().min(1);

/** Requires the address of a database itself, for connections whose session keeps state. */
export const directAddress = () =>
  text().refine((address) => !isPooled(address), 'must not point to a pooler in transaction mode');

/** Requires a secret of at least `minLength` characters. */
export const secret = (minLength = 16) =>
  z.string().min(minLength, `must have at least ${minLength} characters`);

/**
 * Requires a list `new,old` of secrets, newest first, each of at least `minLength` characters. A
 * single secret is also a list. Returns the text unchanged.
 */
export const secretList = (minLength = 16) =>
  z.string().refine((text) => {
    const keys = text.split(',').map((key) => key.trim());
    return keys.every((key) => key.length >= minLength) && new Set(keys).size === keys.length;
  }, `each of the list must have at least ${minLength} characters and occur once`);

/** Parses an absolute http or https address and drops a slash at its end. */
export const httpUrl = () =>
  z
    .url({ protocol: /^https?$/u, message: 'must be an http or https address' })
    .transform((url) => url.replace(/\/+$/u, ''));

/** The variable that lets production connect to stores without TLS and a password. */
export const plainStores = {
  schema: flag(false),
  doc: 'the network of database and cache is trusted: production connects without TLS or password',
};

const appModes = ['development', 'test', 'production'] as const;

/** Parses the mode. The default is production, so that forgetting the variable is safe. */
export const appMode = () => z.enum(appModes).default('production');
