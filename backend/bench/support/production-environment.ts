import type { ProcessEnvironment } from '../../dev/stack/environment.ts';

const published = 'dev-only-';
const own = 'measured-';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Changes a published secret into one that is equally valid but not published. */
export const unpublished = (text: string): string =>
  text.replaceAll(published, own).replaceAll(base64(published), base64(own));

/**
 * Returns the environment of a process in production, where replies are not checked against their
 * schemas. Production does not allow the sandbox, so this process has no gateway, and cannot ask
 * for the gold price.
 */
export const productionEnvironment = (env: ProcessEnvironment): ProcessEnvironment => ({
  ...Object.fromEntries(Object.entries(env).map(([name, text]) => [name, unpublished(text)])),
  APP_MODE: 'production',
  // The stores are on the same machine, and connected over loopback.
  ALLOW_PLAIN_STORES: 'true',
  PAYMENT_GATEWAYS: '',
  SAFEGOLD_BASE_URL: 'https://127.0.0.1:1/safegold',
  MSG91_BASE_URL: 'https://127.0.0.1:1/msg91',
  RAZORPAYX_BASE_URL: 'https://127.0.0.1:1/razorpayx',
});
