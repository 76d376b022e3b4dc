import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';

const secrets = {
  SAFEGOLD_TOKEN: 'dev-only-safegold-token',
  SANDBOX_GATEWAY_KEY_ID: 'dev-only-gateway-key',
  SANDBOX_GATEWAY_KEY_SECRET: 'dev-only-gateway-key-secret',
  SANDBOX_GATEWAY_WEBHOOK_SECRETS: 'dev-only-webhook-secret-1,dev-only-webhook-secret-2',
  CASHFREE_CLIENT_ID: 'dev-only-cashfree-client',
  CASHFREE_CLIENT_SECRET: 'dev-only-cashfree-client-secret',
  CASHFREE_WEBHOOK_SECRETS: 'dev-only-cashfree-client-secret',
  MSG91_AUTH_KEY: 'dev-only-msg91-auth-key',
  RAZORPAY_KEY_ID: 'dev-only-razorpay-key',
  RAZORPAY_KEY_SECRET: 'dev-only-razorpay-key-secret',
  RAZORPAY_WEBHOOK_SECRETS: 'dev-only-razorpay-webhook-secret',
  RAZORPAYX_KEY_ID: 'dev-only-razorpayx-key',
  RAZORPAYX_KEY_SECRET: 'dev-only-razorpayx-key-secret',
  RAZORPAYX_ACCOUNT_NUMBER: '7878780080316316',
  PAYOUT_WEBHOOK_SECRETS: 'dev-only-payout-webhook-secret',
};

const run = (environment: Readonly<Record<string, string>>) => {
  const main = new URL('main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--import', 'tsx', main], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said.text += chunk.toString('utf8');
    });
  }
  const exited = once(child, 'exit').then(([code]: unknown[]) => code);
  return { child, said, exited };
};

describe('the sandbox process', () => {
  it('says where it is, serves, and stops in order', async () => {
    const { child, said, exited } = run({ APP_MODE: 'development', PORT: '0', ...secrets });
    const ready = /"url":"(http:\/\/127\.0\.0\.1:\d+)"/u;
    await eventually(() => expect(said.text).toMatch(ready), { timeoutMs: 60_000 });
    const response = await fetch(`${ready.exec(said.text)?.[1] ?? ''}/readyz`);
    expect(response.status).toBe(200);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    expect(said.text).toContain('has stopped');
    expect(said.text).not.toContain('dev-only');
  });

  it.each([
    ['production', { APP_MODE: 'production' }],
    ['no mode at all', {}],
  ])('refuses %s', async (_what, mode) => {
    const { said, exited } = run({ ...mode, PORT: '0', ...secrets });
    expect(await exited).toBe(1);
    expect(said.text).toContain('does not run in production');
  });

  it('names what its environment lacks', async () => {
    const { said, exited } = run({ APP_MODE: 'test', PORT: 'x' });
    expect(await exited).toBe(1);
    expect(said.text).toMatch(/PORT: must be a whole number[\s\S]+SAFEGOLD_TOKEN: is missing/u);
  });
});
