import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kycWebhookSecrets, openKyc, type OpenKyc } from '#test/support/open-kyc.ts';
import { createKycEvents } from './kyc-events.ts';

let open: OpenKyc;
beforeAll(async () => {
  open = await openKyc();
});
afterAll(() => open.system.close());

const [secret = '', former = ''] = kycWebhookSecrets;
const signatureOf = (body: string, by = secret): string =>
  createHmac('sha256', by).update(body).digest('hex');

const stored = () => open.system.db.webhookEvent.findMany({ where: { source: 'kyc' } });

describe('the webhook of the KYC provider', () => {
  it('stores a signed event once, sealed, and changes nothing', async () => {
    const body = '{"id":"kyc-1","status":"approved","name":"Asha Rao"}';
    const first = await open.deliver(body, signatureOf(body));
    expect(first).toMatchObject({ status: 200, body: { received: true } });
    expect(first.body).not.toHaveProperty('duplicate');
    const second = await open.deliver(body, signatureOf(body));
    expect(second).toMatchObject({ status: 200, body: { received: true, duplicate: true } });
    const [row, ...more] = await stored();
    expect(more).toEqual([]);
    expect(row).toMatchObject({ gateway: 'kyc', status: 'IGNORED' });
    expect(JSON.stringify(row)).not.toContain('Asha');
    expect(await open.system.db.kycRecord.count()).toBe(0);
  });

  it('accepts the former secret during a rotation, and a body that is not JSON', async () => {
    const body = 'status=approved';
    expect((await open.deliver(body, signatureOf(body, former))).status).toBe(200);
  });

  it.each([
    ['of another secret', '{"id":1}', signatureOf('{"id":1}', 'nobody')],
    ['of another body', '{"id":1}', signatureOf('{"id": 1}')],
    ['in capitals', '{"id":1}', signatureOf('{"id":1}').toUpperCase()],
    ['that is missing', '{"id":1}', undefined],
    ['of nothing', '', signatureOf('')],
  ])('refuses a signature %s, and stores nothing', async (_name, body, signature) => {
    const before = await stored();
    expect(await open.deliver(body, signature)).toMatchObject({
      status: 401,
      body: { error: { code: 'INVALID_SIGNATURE' } },
    });
    expect(await stored()).toHaveLength(before.length);
  });

  it('clears the bodies after 30 days', async () => {
    await open.system.advance(31 * 24 * 60 * 60);
    for (const { run } of createKycEvents(open.system).sweeps) {
      await run(new AbortController().signal);
    }
    expect((await stored()).map(({ sealedBody }) => sealedBody)).toEqual([null, null]);
  });
});

it.each(['/kyc/aadhaar-otp', '/kyc/aadhaar-otp/verify'])('%s is not implemented', async (path) => {
  const customer = await open.make.customer();
  expect(await open.as(customer)('POST', path)).toMatchObject({
    status: 501,
    body: { error: { code: 'NOT_IMPLEMENTED' } },
  });
  expect((await open.as()('POST', path)).status).toBe(401);
});
