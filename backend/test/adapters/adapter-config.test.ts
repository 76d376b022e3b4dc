import { describe, expect, test } from 'vitest';
import { createCi } from '../../src/adapters/ci/create-ci.ts';
import { createGoldProvider } from '../../src/adapters/gold-provider/create-gold-provider.ts';
import { createObjectStore } from '../../src/adapters/object-store/create-object-store.ts';
import { createPayoutProvider } from '../../src/adapters/payout-provider/create-payout-provider.ts';
import {
  createPaymentGateways,
  separateByCredentials,
} from '../../src/adapters/payment-gateway/create-payment-gateways.ts';
import { createSmsGateway } from '../../src/adapters/sms/create-sms-gateway.ts';
import { createManualClock } from '../../src/platform/clock/manual-clock.ts';
import type { AdapterDeps } from '../../src/adapters/adapter-deps.ts';

const silent = (): void => {};
const deps: AdapterDeps = { clock: createManualClock(), logger: { debug: silent, warn: silent } };
const token = 'a-real-token-of-32-characters-yes';

describe('in production', () => {
  test('a collaborator has an https address', () => {
    const env = { SAFEGOLD_BASE_URL: 'http://partners.example', SAFEGOLD_TOKEN: token };
    expect(() => createGoldProvider(env, deps)).toThrow(/SAFEGOLD_BASE_URL: must be an https/);
    const secured = { ...env, SAFEGOLD_BASE_URL: 'https://partners.example' };
    expect(createGoldProvider(secured, deps).code).toBe('safegold');
  });

  test('the payout provider has one too, and secrets that nobody published', () => {
    const env = {
      RAZORPAYX_BASE_URL: 'http://api.example',
      RAZORPAYX_KEY_ID: 'key',
      RAZORPAYX_KEY_SECRET: token,
      RAZORPAYX_ACCOUNT_NUMBER: '7878780080316316',
      PAYOUT_WEBHOOK_SECRETS: `${token},another-${token}`,
    };
    expect(() => createPayoutProvider(env, deps)).toThrow(/RAZORPAYX_BASE_URL: must be an https/);
    const secured = { ...env, RAZORPAYX_BASE_URL: 'https://api.example' };
    expect(createPayoutProvider(secured, deps).code).toBe('razorpayx');
    const published = { ...secured, PAYOUT_WEBHOOK_SECRETS: `${token},dev-only-${token}` };
    expect(() => createPayoutProvider(published, deps)).toThrow(/PAYOUT_WEBHOOK_SECRETS/);
  });

  test('so has the CI system, and a token that nobody published', () => {
    const env = { GITHUB_TOKEN: token, GITHUB_OWNER: 'owner', GITHUB_REPOSITORY: 'service' };
    expect(createCi(env, deps)?.code).toBe('github');
    const inClear = { ...env, GITHUB_API_URL: 'http://api.example' };
    expect(() => createCi(inClear, deps)).toThrow(/GITHUB_API_URL: must be an https/);
    const published = { ...env, GITHUB_TOKEN: `dev-only-${token}` };
    expect(() => createCi(published, deps)).toThrow(/GITHUB_TOKEN: is a published/);
  });

  test('a published secret is refused', () => {
    const env = {
      MSG91_BASE_URL: 'https://sms.example',
      MSG91_AUTH_KEY: 'dev-only-msg91-auth-key',
      MSG91_OTP_TEMPLATE_ID: 'template-1',
    };
    expect(() => createSmsGateway(env, deps)).toThrow(/MSG91_AUTH_KEY/);
  });

  test('a payment gateway has one too, and secrets that nobody published', () => {
    const env = {
      PAYMENT_GATEWAYS: 'razorpay',
      RAZORPAY_BASE_URL: 'http://api.example',
      RAZORPAY_KEY_ID: 'key',
      RAZORPAY_KEY_SECRET: token,
      RAZORPAY_WEBHOOK_SECRETS: `${token},another-${token}`,
    };
    expect(() => createPaymentGateways(env, deps)).toThrow(/RAZORPAY_BASE_URL: must be an https/);
    const secured = { ...env, RAZORPAY_BASE_URL: 'https://api.example' };
    expect(createPaymentGateways(secured, deps).get('razorpay')?.publicKey).toBe('key');
    const published = { ...secured, RAZORPAY_WEBHOOK_SECRETS: `${token},dev-only-${token}` };
    expect(() => createPaymentGateways(published, deps)).toThrow(/RAZORPAY_WEBHOOK_SECRETS/);
    const { RAZORPAY_WEBHOOK_SECRETS: _none, ...without } = secured;
    expect(() => createPaymentGateways(without, deps)).toThrow(/RAZORPAY_WEBHOOK_SECRETS/);
    const worker = createPaymentGateways(without, { ...deps, receivesWebhooks: false });
    const forged = { rawBody: Buffer.from('{}'), headers: { 'x-razorpay-signature': '' } };
    expect(worker.get('razorpay')?.verifyWebhook(forged)).toEqual({ valid: false });
  });

  test('there is no sandbox gateway', () => {
    expect(() => createPaymentGateways({ PAYMENT_GATEWAYS: 'sandbox' }, deps)).toThrow(/sandbox/);
    expect(createPaymentGateways({}, deps).size).toBe(0);
  });
});

describe('the CI system', () => {
  const env = { GITHUB_TOKEN: token, GITHUB_OWNER: 'owner', GITHUB_REPOSITORY: 'service' };

  test('is none without a token', () => {
    expect(createCi({}, deps)).toBeUndefined();
    expect(createCi({ GITHUB_OWNER: 'owner', GITHUB_TOKEN: '' }, deps)).toBeUndefined();
  });

  test.each(['GITHUB_OWNER', 'GITHUB_REPOSITORY'])('needs %s with a token', (name) => {
    expect(() => createCi({ ...env, [name]: undefined }, deps)).toThrow(
      `${name}: is needed with GITHUB_TOKEN`,
    );
  });

  test.each([
    'a/b',
    '..',
    'payments=service',
    '=service',
    'website=',
    'website=a=b',
    'one,two',
    'website=one,website=two,three',
    'website=site',
    ',',
  ])('takes no repositories from %j', (text) => {
    expect(() => createCi({ ...env, GITHUB_REPOSITORY: text }, deps)).toThrow(/GITHUB_REPOSITORY/);
  });

  test.each(['-owner', 'own/er', 'a'.repeat(40)])('takes no owner from %j', (text) => {
    expect(() => createCi({ ...env, GITHUB_OWNER: text }, deps)).toThrow(/GITHUB_OWNER/);
  });
});

test('what is missing is named, and a secret never shown', () => {
  expect(() => createGoldProvider({ SAFEGOLD_TOKEN: 'short' }, deps)).toThrow(
    /SAFEGOLD_BASE_URL: is missing[^]*SAFEGOLD_TOKEN: must have at least/,
  );
  expect(() => createPayoutProvider({}, deps)).toThrow(
    /RAZORPAYX_ACCOUNT_NUMBER: is missing[^]*PAYOUT_WEBHOOK_SECRETS: is missing/,
  );
  expect(() => createObjectStore({}, deps)).toThrow(/OBJECT_STORE_DIR: is missing/);
  expect(() => createPaymentGateways({ PAYMENT_GATEWAYS: 'nobody' }, deps)).toThrow(
    /PAYMENT_GATEWAYS/,
  );
});

test.each([
  ['razorpay', 'RAZORPAY_TIMEOUT_MS'],
  ['cashfree', 'CASHFREE_TIMEOUT_MS'],
])('the calls of a debit at %s end within its lease', (code, variable) => {
  const env = { PAYMENT_GATEWAYS: code, [variable]: '15001' };
  expect(() => createPaymentGateways(env, deps)).toThrow(new RegExp(`${variable}: `, 'u'));
});

describe('the credentials of a payment gateway', () => {
  const razorpay = (id: string) => ({
    RAZORPAY_BASE_URL: 'https://api.example',
    RAZORPAY_KEY_ID: id,
    RAZORPAY_KEY_SECRET: token,
    RAZORPAY_WEBHOOK_SECRETS: token,
  });
  const cashfree = (host: string, id = 'id', secret = token) => ({
    CASHFREE_BASE_URL: `https://${host}/pg`,
    CASHFREE_CLIENT_ID: id,
    CASHFREE_CLIENT_SECRET: secret,
    CASHFREE_WEBHOOK_SECRETS: secret,
  });
  test.each([
    ['razorpay', razorpay('rzp_test_gold'), 'test'],
    ['razorpay', razorpay('rzp_live_gold'), 'live'],
    ['razorpay', razorpay('gold'), 'unknown'],
    ['cashfree', cashfree('sandbox.cashfree.com'), 'test'],
    ['cashfree', cashfree('api.cashfree.com', 'TEST123'), 'test'],
    ['cashfree', cashfree('api.cashfree.com', '123', `cfsk_ma_test_${token}`), 'test'],
    ['cashfree', cashfree('api.cashfree.com', '123', `cfsk_ma_prod_${token}`), 'live'],
    ['cashfree', cashfree('proxy.example'), 'unknown'],
  ])('of %s with %j are %s', (code, env, credentials) => {
    const all = createPaymentGateways({ ...env, PAYMENT_GATEWAYS: code }, deps);
    expect(all.get(code)?.credentials).toBe(credentials);
    const codesIn = (isProduction: boolean, allowTestPayments: boolean) => {
      const separated = separateByCredentials(all, { isProduction, allowTestPayments });
      expect(separated.gateways.size + separated.barred.size).toBe(1);
      return [...separated.gateways.keys()];
    };
    expect(codesIn(true, false)).toEqual(credentials === 'test' ? [] : [code]);
    expect(codesIn(true, true)).toEqual(credentials === 'test' ? [code] : []);
    expect([...codesIn(false, false), ...codesIn(false, true)]).toEqual([code, code]);
  });
});
