import type { ProcessEnvironment } from '../../dev/stack/environment.ts';

const published = 'dev-only-';
const own = 'measured-';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A secret as good as the published one, and not published. */
export const unpublished = (text: string): string =>
  text.replaceAll(published, own).replaceAll(base64(published), base64(own));

/**
 * The environment of a process as production would have it: replies are not held against their
 * schemas. Production takes no sandbox, so this process has no gateway, and what it knows of the
 * gold price is what the cache has.
 */
export const productionEnvironment = (env: ProcessEnvironment): ProcessEnvironment => ({
  ...Object.fromEntries(Object.entries(env).map(([name, text]) => [name, unpublished(text)])),
  APP_MODE: 'production',
  // The stores of one machine, over loopback.
  ALLOW_PLAIN_STORES: 'true',
  PAYMENT_GATEWAYS: '',
  SAFEGOLD_BASE_URL: 'https://127.0.0.1:1/safegold',
  MSG91_BASE_URL: 'https://127.0.0.1:1/msg91',
  RAZORPAYX_BASE_URL: 'https://127.0.0.1:1/razorpayx',
});
